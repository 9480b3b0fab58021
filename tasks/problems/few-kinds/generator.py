"""usage: generator.py SEED KIND N K M; kinds 1..M, in runs of equal ones or not."""

import random
import sys

seed, kind = int(sys.argv[1]), sys.argv[2]
n, k, m = (int(arg) for arg in sys.argv[3:6])
rng = random.Random(seed)
flowers = [1 + rng.randrange(m) for _ in range(n)]
if kind == "runs":
    for i in range(1, n):
        if rng.randrange(3):
            flowers[i] = flowers[i - 1]
print(n, k)
print(*flowers)
