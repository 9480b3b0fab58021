"""usage: generator.py SEED KIND N K; d is chosen so that some windows are calm."""

import random
import sys

seed, kind, n, k = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rng = random.Random(seed)
if kind == "random":
    a = [rng.randrange(50) for _ in range(n)]
    d = 25
elif kind == "falling":  # a long slope, flat at both ends
    a = [max(0, min(n, n + n // 8 - i)) // 2 + rng.randrange(2) for i in range(n)]
    d = k // 2
else:
    now, a = 500, []
    for i in range(n):
        step = 1 if (i * 8 // n) % 2 else 9
        now = max(0, min(99999, now + rng.randrange(-step, step + 1)))
        a.append(now)
    low_high = [
        (min(a[i : i + k]), max(a[i : i + k])) for i in range(0, n - k + 1, max(1, n // 40))
    ]
    spreads = sorted(high - low for low, high in low_high)
    d = spreads[len(spreads) // 2]
print(n, k, d)
print(*a)
