"""usage: generator.py SEED N TOP K: n ropes of 1..TOP units, a tenth of them very short."""

import random
import sys

seed, n, top, k = (int(arg) for arg in sys.argv[1:5])
rng = random.Random(seed)
w = 1 + rng.randrange(max(1, min(1000, top // 50)))
short = max(1, top // 100)
ropes = [1 + rng.randrange(short if rng.randrange(10) == 0 else top) for _ in range(n)]
print(n, k, w)
print(*ropes)
