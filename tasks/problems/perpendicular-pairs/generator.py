"""usage: generator.py SEED KIND N M.

small: coordinates -M..M; axes: many arrows along the axes; near: directions that differ only in
the last of many digits, and arrows perpendicular to some of them.
"""

import random
import sys

seed, kind, n, m = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rng = random.Random(seed)
arrows = []
while len(arrows) < n:
    x, y = rng.randrange(-m, m + 1), rng.randrange(-m, m + 1)
    if kind == "axes" and rng.randrange(3):
        x, y = (x, 0) if rng.randrange(2) else (0, y)
    if kind == "near":
        x = m - rng.randrange(300)
        y = m - rng.randrange(300)
        if rng.randrange(2):
            x, y = (-y, x) if rng.randrange(2) else (y, -x)
    if x or y:
        arrows.append((x, y))
print(n)
for x, y in arrows:
    print(x, y)
