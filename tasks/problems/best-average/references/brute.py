import sys
from itertools import accumulate

data = list(map(int, sys.stdin.read().split()))
n, k = data[:2]
p = [0, *accumulate(data[2:])]
best = float("-inf")
for i in range(n - k + 1):
    for j in range(i + k, n + 1):
        average = (p[j] - p[i]) / (j - i)
        if average > best:
            best = average
print(best)
