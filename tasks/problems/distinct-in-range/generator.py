"""usage: generator.py SEED N Q M: N panels of colours 1..M, Q visitors; most see a long part."""

import random
import sys

seed, n, q, m = (int(arg) for arg in sys.argv[1:5])
rng = random.Random(seed)
print(n, q)
print(*(1 + rng.randrange(m) for _ in range(n)))
for _ in range(q):
    a, b = 1 + rng.randrange(n), 1 + rng.randrange(n)
    if rng.randrange(3) == 0:
        b = min(n, a + rng.randrange(10))
    print(min(a, b), max(a, b))
