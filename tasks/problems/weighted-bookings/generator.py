"""usage: generator.py SEED N TOP LENGTH: requests within 0..TOP + LENGTH, lengths 1..LENGTH."""

import random
import sys

seed, n, top, length = (int(arg) for arg in sys.argv[1:5])
rng = random.Random(seed)
print(n)
for _ in range(n):
    start = rng.randrange(top)
    duration = 1 + rng.randrange(length)
    print(start, start + duration, 1 + min(999999, duration * (50 + rng.randrange(100)) // 50))
