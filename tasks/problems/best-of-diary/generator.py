"""usage: generator.py SEED KIND N K M; scores 0..M, or falling or rising in runs of M equal."""

import random
import sys

seed, kind = int(sys.argv[1]), sys.argv[2]
n, k, m = (int(arg) for arg in sys.argv[3:6])
rng = random.Random(seed)
if kind == "random":
    scores = [rng.randrange(m + 1) for _ in range(n)]
else:
    scores = [i // m + (rng.randrange(20) == 0) for i in range(n)]
    if kind == "falling":
        scores.reverse()
print(n, k)
print(*scores)
