"""usage: generator.py SEED KIND N K; late: the best stretch is the last one."""

import random
import sys

seed, kind, n, k = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rng = random.Random(seed)
low, high = {"mixed": (-1000, 1000), "cold": (-1000, -1), "late": (-1000, 900)}[kind]
temperatures = [rng.randrange(low, high + 1) for _ in range(n)]
if kind == "late":
    temperatures = [t // 2 for t in temperatures]
    temperatures[-1] = 1000
    for i in range(n - k, n):
        temperatures[i] = max(temperatures[i], -temperatures[i])
print(n, k)
print(*temperatures)
