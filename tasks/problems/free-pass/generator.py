"""usage: generator.py SEED KIND N M.

random: a tree and random roads; path: a long cheap path, its roads listed from its far end, and
roads that skip a few towns.
"""

import random
import sys

seed, kind, n, m = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rng = random.Random(seed)
roads = []
if kind == "random":
    for town in range(2, n + 1):
        roads.append((town, town - 1 - rng.randrange(min(town - 1, 50)), rng.randrange(1000)))
    while len(roads) < m:
        a = 1 + rng.randrange(n)
        b = min(n, a + 1 + rng.randrange(60))
        roads.append((a, b, rng.randrange(9000)))
    roads = [road for _, road in sorted((rng.getrandbits(60), road) for road in roads)]
else:
    for town in range(n - 1, 0, -1):
        roads.append((town, town + 1, rng.randrange(100)))
    while len(roads) < m:
        a = 1 + rng.randrange(n - 1)
        b = min(n, a + 1 + rng.randrange(20))
        roads.append((a, b, 200 + rng.randrange(5000)))
print(n, len(roads))
for road in roads:
    print(*road)
