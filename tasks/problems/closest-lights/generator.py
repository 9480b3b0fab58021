"""usage: generator.py SEED KIND N M.

random: coordinates up to M; column: M columns of lights, far apart from one another;
tall: a narrow band of width M, much taller than wide.
"""

import random
import sys

seed, kind, n, m = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rng = random.Random(seed)
print(n)
for i in range(n):
    if kind == "random":
        print(rng.randrange(-m, m + 1), rng.randrange(-m, m + 1))
    elif kind == "column":
        x = i % m * (100000 // m)
        y = (i // m) * (1000000 // n) + rng.randrange(max(1, 500000 // n))
        print(x, y)
    else:
        print(rng.randrange(m), rng.randrange(-(10**8), 10**8))
