"""usage: generator.py SEED KIND N M Q.

path: neighbours are connected, by ever weaker roads; random: roads to near and far towns, and
some towns without any.
"""

import random
import sys

seed, kind = int(sys.argv[1]), sys.argv[2]
n, m, q = (int(arg) for arg in sys.argv[3:6])
rng = random.Random(seed)
print(n, m, q)
for i in range(m):
    if kind == "path" and i < n - 1:
        a, b, w = i + 1, i + 2, 10**6 - 20 * i - rng.randrange(19)
    else:
        a = 1 + rng.randrange(n)
        b = min(n, a + rng.randrange(50)) if rng.randrange(4) else 1 + rng.randrange(n)
        w = 1 + rng.randrange(300000)
    if rng.randrange(2):
        a, b = b, a
    print(a, b, w)
for _ in range(q):
    s = 1 + rng.randrange(n)
    t = 1 + (s + rng.randrange(n - 1)) % n
    print(s, t)
