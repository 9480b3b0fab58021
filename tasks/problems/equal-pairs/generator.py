"""usage: generator.py SEED KIND N; KIND is random, few or equal."""

import random
import sys

seed, kind, n = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
rng = random.Random(seed)
top = {"random": max(2, n // 3), "few": 4, "equal": 1}[kind]
print(n)
print(*(1 + rng.randrange(top) for _ in range(n)))
