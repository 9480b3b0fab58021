"""usage: generator.py SEED KIND N M.

random: 0..M; wave: slow waves with plateaus of M readings; distinct: all readings differ.
"""

import random
import sys

seed, kind, n, m = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rng = random.Random(seed)
if kind == "random":
    readings = [rng.randrange(m + 1) for _ in range(n)]
elif kind == "wave":
    readings = []
    for i in range(n):
        up = i // m % 9
        readings.append(1000 * min(up, 9 - up) + rng.randrange(2) * rng.randrange(3))
else:
    keys = sorted(range(n), key=lambda _: rng.getrandbits(60))
    readings = [6 * key + rng.randrange(6) for key in keys]
print(n)
print(*readings)
