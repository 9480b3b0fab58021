import sys
from itertools import accumulate

data = list(map(int, sys.stdin.read().split()))
n, k = data[:2]
p = [0, *accumulate(data[2:])]
# The average from i to j is the slope between the points (i, p[i]) and (j, p[j]). Only starts on
# the lower hull can be best, and starts that were left behind never become best again.
hull = []
head = 0
best = None
for j in range(k, n + 1):
    new = j - k
    while len(hull) - head >= 2:
        a, b = hull[-2], hull[-1]
        if (p[b] - p[a]) * (new - b) < (p[new] - p[b]) * (b - a):
            break
        hull.pop()
    hull.append(new)
    while head + 1 < len(hull):
        a, b = hull[head], hull[head + 1]
        if (p[j] - p[a]) * (j - b) > (p[j] - p[b]) * (j - a):
            break
        head += 1
    average = (p[j] - p[hull[head]]) / (j - hull[head])
    if best is None or average > best:
        best = average
print(f"{best:.9f}")
