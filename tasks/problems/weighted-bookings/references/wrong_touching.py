# Keeps apart parties that only touch.
import sys
from bisect import bisect_left

data = list(map(int, sys.stdin.read().split()))
requests = sorted(zip(data[2::3], data[1::3], data[3::3]))
ends = [-1]
best = [0]
for end, start, payment in requests:
    best.append(max(best[-1], best[bisect_left(ends, start) - 1] + payment))
    ends.append(end)
print(best[-1])
