"""usage: generator.py SEED N TOP C: weights 0..TOP, a fifth of them zero, some runs heavy."""

import random
import sys

seed, n, top, c = (int(arg) for arg in sys.argv[1:5])
rng = random.Random(seed)
print(n, c)
weights = []
for i in range(n):
    limit = top if i * 10 // n % 3 == 0 else max(1, top // 9)
    weights.append(0 if rng.randrange(5) == 0 else rng.randrange(limit + 1))
print(*weights)
