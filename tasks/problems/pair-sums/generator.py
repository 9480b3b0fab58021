"""usage: generator.py SEED KIND N; KIND is random or repeated (few distinct values)."""

import random
import sys

seed, kind, n = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
rng = random.Random(seed)
print(n)
if kind == "random":
    print(*(rng.randrange(100001) for _ in range(n)))
else:
    values = [90000 + rng.randrange(10001) for _ in range(5)]
    print(*(values[rng.randrange(5)] for _ in range(n)))
