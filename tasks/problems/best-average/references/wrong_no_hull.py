# Starts over whenever dropping everything but the last k minutes is better.
import sys
from itertools import accumulate

data = list(map(int, sys.stdin.read().split()))
n, k = data[:2]
p = [0, *accumulate(data[2:])]
best = p[k] / k
start = 0
for j in range(k, n + 1):
    if (p[j] - p[j - k]) * (j - start) >= (p[j] - p[start]) * k:
        start = j - k
    best = max(best, (p[j] - p[start]) / (j - start))
print(best)
