"""usage: generator.py SEED N BITS R: each topping is on a pizza with a probability of 1/R."""

import random
import sys

seed, n, bits, r = (int(arg) for arg in sys.argv[1:5])
rng = random.Random(seed)
print(n)
masks = []
for _ in range(n):
    mask = 0
    for bit in range(bits):
        if rng.randrange(r) == 0:
            mask |= 1 << bit
    masks.append(mask)
print(*masks)
