"""usage: generator.py SEED KIND N B: codes of B bits; narrow: few of the pairs differ at the top.

In narrow the upper bits of all codes are similar, so that the best pair is decided lower down.
"""

import random
import sys

seed, kind, n, bits = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rng = random.Random(seed)
codes = []
for _ in range(n):
    if kind == "random":
        codes.append(rng.getrandbits(bits))
    else:
        # clear each bit with a probability, so that complements are rare
        codes.append(rng.getrandbits(bits) & rng.getrandbits(bits) & rng.getrandbits(bits))
if kind == "narrow" and n > 1000:
    codes = [code | 1 << (bits - 1) for code in codes]
print(n)
print(*codes)
