"""usage: generator.py SEED KIND N; KIND is random, walk, cold or rising."""

import random
import sys

seed, kind, n = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
rng = random.Random(seed)
if kind == "random":
    temperatures = [rng.randrange(-99999, 100000) for _ in range(n)]
elif kind == "cold":
    temperatures = [-1 - rng.randrange(n) for _ in range(n)]
elif kind == "walk":
    now, temperatures = -20, []
    for _ in range(n):
        now += rng.randrange(-2, 4)
        temperatures.append(now)
else:  # rising: almost every day is a record
    temperatures = [i - n // 2 - (rng.randrange(50) == 0) for i in range(n)]
print(n)
print(*temperatures)
