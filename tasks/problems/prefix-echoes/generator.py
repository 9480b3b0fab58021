"""usage: generator.py SEED KIND N M.

random: M letters; periodic: period M with one other letter near the end; nested: each half
repeats the other one but for M letters at the end.
"""

import random
import sys

seed, kind, n, m = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rng = random.Random(seed)


def word(length, letters):
    return "".join("abcdefghijklmnopqrstuvwxyz"[rng.randrange(letters)] for _ in range(length))


if kind == "random":
    s = word(n, m)
elif kind == "periodic":
    s = (word(m, 3) * (n // m + 1))[:n]
    i = n - 1 - rng.randrange(max(1, n // 50))
    s = s[:i] + "x" + s[i + 1 :]
else:
    s = "ab"
    while len(s) < n:
        s = s + s[: len(s) - m] + word(rng.randrange(m + 1), 2)
    s = s[:n]
print(s)
