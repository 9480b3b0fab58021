"""usage: generator.py SEED KIND N M.

random: values 1..M; spread: the same value again only after at least M positions; distinct.
"""

import random
import sys

seed, kind, n, m = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rng = random.Random(seed)
if kind == "random":
    values = [1 + rng.randrange(m) for _ in range(n)]
elif kind == "distinct":
    values = [i * 5 + 1 + rng.randrange(5) for i in range(n)]
else:
    values = []
    for i in range(n):
        repeat = i >= 2 * m and rng.randrange(3) == 0
        # positions of one block of m repeat only positions at least m further left
        values.append(values[i - m - rng.randrange(m // 4)] if repeat else 10 * i + 1)
    last = {}
    for i, value in enumerate(values):
        if i - last.get(value, -n) < m:
            values[i] = value = 10 * i + 2
        last[value] = i
print(n)
print(*values)
