"""usage: generator.py SEED KIND N M.

random: M letters; copied: M letters, with a long piece copied to another place; same: one letter.
"""

import random
import sys

seed, kind, n, m = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rng = random.Random(seed)
s = "".join("abcdefghijklmnopqrstuvwxyz"[rng.randrange(m)] for _ in range(n))
if kind == "copied":
    length = n // 3 + rng.randrange(n // 9)
    start = rng.randrange(n - 2 * length)
    target = start + length + rng.randrange(n - start - 2 * length + 1)
    s = s[:target] + s[start : start + length] + s[target + length :]
print(s)
