"""usage: generator.py SEED KIND N; small: -3..3; huge: few values near 10^9; zeros: mostly 0."""

import random
import sys

seed, kind, n = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
rng = random.Random(seed)
if kind == "small":
    amounts = [rng.randrange(-3, 4) for _ in range(n)]
elif kind == "zeros":
    amounts = [rng.randrange(-1, 2) if rng.randrange(2000) == 0 else 0 for _ in range(n)]
else:
    values = [10**9 - rng.randrange(3) for _ in range(3)]
    # many steps in one direction first, so that partial sums leave 32 bits
    amounts = [values[rng.randrange(3)] * (1 if i < n // 3 else -1) for i in range(n)]
    for i in range(n // 5, n, 7):
        amounts[i] = -amounts[i - 1]
print(n)
print(*amounts)
