"""usage: generator.py SEED KIND N TOP.

random: deadlines 1..TOP; crowded: half of the deadlines in the first tenth, pay rises with the
deadline; latest: nearly all deadlines are TOP, some of the others huge.
"""

import random
import sys

seed, kind, n, top = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rng = random.Random(seed)
print(n)
for _ in range(n):
    deadline = 1 + rng.randrange(top)
    payment = 1 + rng.randrange(100000)
    if kind == "crowded":
        if rng.randrange(2):
            deadline = 1 + rng.randrange(max(1, top // 10))
        payment = 1 + rng.randrange(1000) + deadline * 900000 // top
    elif kind == "latest":
        if rng.randrange(50):
            deadline = top
        elif rng.randrange(20) == 0:
            deadline = 10**9 - rng.randrange(10)
    print(deadline, payment)
