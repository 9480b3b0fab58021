"""usage: generator.py SEED KIND N K; random, cold: all negative; hills: long waves."""

import random
import sys

seed, kind, n, k = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rng = random.Random(seed)
speeds = []
for i in range(n):
    if kind == "cold":
        speeds.append(-1 - rng.randrange(50000))
    elif kind == "random":
        speeds.append(rng.randrange(-300, 301))
    else:
        wave = i * 13 // n
        speeds.append((wave * wave % 7 - 3) * 300 + rng.randrange(-9000, 9001))
print(n, k)
print(*speeds)
