"""usage: generator.py SEED KIND N M.

random: M letters; mirror: pieces followed by their mirror images, again and again;
same: one letter, but for one letter in the middle of the last quarter.
"""

import random
import sys

seed, kind, n, m = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rng = random.Random(seed)


def word(length, letters):
    return "".join("abcdefghijklmnopqrstuvwxyz"[rng.randrange(letters)] for _ in range(length))


if kind == "random":
    s = word(n, m)
elif kind == "same":
    s = "a" * (n * 7 // 8) + "b" + "a" * (n - n * 7 // 8 - 1)
else:
    s = word(3, m)
    while len(s) < n:
        s = s + s[::-1][rng.randrange(2) :]
        if rng.randrange(3) == 0:
            s += word(1 + rng.randrange(3), m)
    s = s[:n]
print(s)
