"""usage: generator.py SEED KIND N TOP.

random: numbers -TOP..TOP; drift: mostly positive at first, mostly negative later.
"""

import random
import sys

seed, kind, n, top = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rng = random.Random(seed)
numbers = [rng.randrange(-top, top + 1) for _ in range(n)]
if kind == "drift":
    numbers = [
        abs(x) if (i < n // 2) == (rng.randrange(8) > 0) else -abs(x) for i, x in enumerate(numbers)
    ]
    width = top * n // 20
else:
    width = top * 4
low = -width + rng.randrange(width + 1)
print(n, low, low + rng.randrange(width + 1))
print(*numbers)
