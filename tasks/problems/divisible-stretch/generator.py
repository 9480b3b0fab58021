"""usage: generator.py SEED KIND N M.

random: 0..10^6; negative: both signs; never: no stretch but short ones is divisible by M.
"""

import random
import sys

seed, kind, n, m = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rng = random.Random(seed)
if kind == "random":
    numbers = [rng.randrange(1000001) for _ in range(n)]
elif kind == "negative":
    bound = min(10**9, m)
    numbers = [rng.randrange(-bound, bound + 1) for _ in range(n)]
    i = rng.randrange(max(1, n // 10))
    j = n - 1 - rng.randrange(max(1, n // 3))
    numbers[j] -= sum(numbers[i : j + 1]) % m
    if numbers[j] < -(10**9):
        numbers[j] += m
else:  # the partial sums rise by small steps and stay below m
    step = m // n
    numbers = [1 + rng.randrange(step) for _ in range(n)]
    for i in range(n // 7, n, n // 7):
        numbers[i - 1] = -numbers[i - 2]
print(n, m)
print(*numbers)
