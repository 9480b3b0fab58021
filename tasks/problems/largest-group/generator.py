"""usage: generator.py SEED KIND N M.

chain: bridges between neighbours from left to right, and one back at the end; random: some repeats.
"""

import random
import sys

seed, kind, n, m = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rng = random.Random(seed)
bridges = []
for i in range(m):
    if kind == "chain":
        bridges.append((i + 1, i + 2) if i < m - 1 else (1, m))
    elif bridges and rng.randrange(10) == 0:
        bridges.append(bridges[rng.randrange(len(bridges))])
    else:
        bridges.append((1 + rng.randrange(n), 1 + rng.randrange(n)))
print(n, m)
for a, b in bridges:
    print(a, b)
