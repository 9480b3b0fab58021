"""usage: generator.py SEED KIND N M.

random: heights 1..M; falling: strictly falling; stairs: falling by steps of M equal people.
"""

import random
import sys

seed, kind, n, m = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rng = random.Random(seed)
if kind == "random":
    heights = [1 + rng.randrange(m) for _ in range(n)]
elif kind == "falling":
    heights = [2 * (n - i) - rng.randrange(2) for i in range(n)]
else:
    heights = [max(1, (n - i) // m + (rng.randrange(6 * m) == 0)) for i in range(n)]
print(n)
print(*heights)
