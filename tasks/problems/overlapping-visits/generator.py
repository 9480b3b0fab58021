"""usage: generator.py SEED KIND N M.

short: starts within 0..M, lengths up to M / 5; touch: long chains in which visits of length M
begin in the second in which others end.
"""

import random
import sys

seed, kind, n, m = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rng = random.Random(seed)
print(n)
for _ in range(n):
    if kind == "short":
        start = rng.randrange(m + 1)
        print(start, start + rng.randrange(m // 5 + 1))
    else:
        start = m * rng.randrange(max(2, n // 12))
        print(start, start + m * rng.randrange(1, 3))
