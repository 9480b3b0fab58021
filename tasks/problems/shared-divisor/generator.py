"""usage: generator.py SEED N K TOP: N lengths up to TOP, many of them rich in divisors."""

import random
import sys

seed, n, k, top = (int(arg) for arg in sys.argv[1:5])
rng = random.Random(seed)
g = 2 + rng.randrange(max(1, top * 2 // (3 * k)))
lengths = []
for i in range(n):
    if i < k and top // g > 1:
        lengths.append(g * (1 + rng.randrange(top // g)))
    else:
        lengths.append(1 + rng.randrange(top))
lengths = [length for _, length in sorted((rng.getrandbits(60), length) for length in lengths)]
print(n, k)
print(*lengths)
