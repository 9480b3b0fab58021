"""usage: generator.py SEED KIND N G.

random: 1..40; smooth: products of 2, 3 and 5; multiples: multiples of G by smooth numbers, so
that the divisor of a stretch falls slowly.
"""

import random
import sys

seed, kind, n, g = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rng = random.Random(seed)
numbers = []
for _ in range(n):
    if kind == "random":
        numbers.append(1 + rng.randrange(40))
        continue
    number = g if kind == "multiples" else 1
    limit = 10**9 // 5
    while number < limit and rng.randrange(12):
        number *= (2, 2, 2, 3, 3, 5)[rng.randrange(6)]
    numbers.append(number)
if kind == "multiples":
    # few numbers are as small as the divisor that is asked for
    numbers = [x if rng.randrange(9) else 144 * g for x in numbers]
print(n, g)
print(*numbers)
