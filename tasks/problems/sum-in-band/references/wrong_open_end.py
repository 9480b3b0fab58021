# Leaves out sums that are exactly high.
import sys
from bisect import bisect_right, insort

data = list(map(int, sys.stdin.read().split()))
n, low, high = data[:3]
seen = [0]
total = count = 0
for x in data[3:]:
    total += x
    count += bisect_right(seen, total - low) - bisect_right(seen, total - high)
    insort(seen, total)
print(count)
