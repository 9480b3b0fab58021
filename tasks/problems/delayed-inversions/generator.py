"""usage: generator.py SEED KIND N TOP; random: prices 0..TOP; falling: nearly sorted downwards."""

import random
import sys

seed, kind, n, top = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rng = random.Random(seed)
if kind == "random":
    prices = [rng.randrange(top + 1) for _ in range(n)]
    d = rng.randrange(-top // 5, top // 3 + 1)
else:
    prices = [max(0, 3 * (n - i) + rng.randrange(-20, 21)) for i in range(n)]
    d = -15
print(n, d)
print(*prices)
