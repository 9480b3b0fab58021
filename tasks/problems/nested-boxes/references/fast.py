import sys
from bisect import bisect_left

data = list(map(int, sys.stdin.read().split()))
# Equally wide boxes by falling depth, so that no two of them join one chain.
boxes = sorted(zip(data[1::2], (-d for d in data[2::2])))
tails = []  # tails[k]: the smallest depth that ends a chain of k + 1 boxes
for _, negative in boxes:
    depth = -negative
    k = bisect_left(tails, depth)
    if k == len(tails):
        tails.append(depth)
    else:
        tails[k] = depth
print(len(tails))
