"""usage: generator.py SEED Q TOP: q ranges within 1..TOP, many ends on multiples of k."""

import random
import sys

seed, q, top = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
rng = random.Random(seed)
k = 2 + rng.randrange(7)


def end():
    x = 1 + rng.randrange(top)
    return max(k, x - x % k) if rng.randrange(3) == 0 else x


print(q, k)
for _ in range(q):
    a, b = end(), end()
    print(min(a, b), max(a, b))
