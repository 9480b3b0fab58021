import sys
from itertools import accumulate

data = list(map(int, sys.stdin.read().split()))
n, c = data[:2]
p = [0, *accumulate(data[2:])]
cost = [0]
for j in range(1, n + 1):
    cost.append(c + min(cost[i] + (p[j] - p[i]) ** 2 for i in range(j)))
print(cost[n])
