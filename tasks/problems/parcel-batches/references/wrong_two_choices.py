# Moves the split to the right only while the very next one is at least as good.
import sys
from itertools import accumulate

data = list(map(int, sys.stdin.read().split()))
n, c = data[:2]
p = [0, *accumulate(data[2:])]
cost = [0] * (n + 1)
i = 0
for j in range(1, n + 1):
    while i + 1 < j and cost[i + 1] + (p[j] - p[i + 1]) ** 2 <= cost[i] + (p[j] - p[i]) ** 2:
        i += 1
    cost[j] = c + cost[i] + (p[j] - p[i]) ** 2
print(cost[n])
