"""usage: generator.py SEED KIND N TOP; KIND is random or sorted (falling skills)."""

import random
import sys

seed, kind, n, top = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rng = random.Random(seed)
skills = [rng.randrange(top + 1) for _ in range(n)]
if kind == "sorted":
    skills.sort(reverse=True)
print(n)
print(*skills)
