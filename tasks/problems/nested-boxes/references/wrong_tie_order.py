# Sorts equally wide boxes by rising depth: they are put into one another.
import sys
from bisect import bisect_left

data = list(map(int, sys.stdin.read().split()))
tails = []
for _, depth in sorted(zip(data[1::2], data[2::2])):
    k = bisect_left(tails, depth)
    if k == len(tails):
        tails.append(depth)
    else:
        tails[k] = depth
print(len(tails))
