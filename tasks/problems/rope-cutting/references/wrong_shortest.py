# Believes that a piece can be no longer than the shortest rope.
import sys

data = list(map(int, sys.stdin.read().split()))
n, k, w = data[:3]
ropes = [r + w for r in data[3:]]
low, high = 0, min(ropes) - w
while low < high:
    length = (low + high + 1) // 2
    if sum([r // (length + w) for r in ropes]) >= k:
        low = length
    else:
        high = length - 1
print(low)
