# Pays for a cut after every piece, also where the rope ends exactly with it.
import sys

data = list(map(int, sys.stdin.read().split()))
n, k, w = data[:3]
ropes = data[3:]
low, high = 0, max(ropes)
while low < high:
    length = (low + high + 1) // 2
    if sum([r // (length + w) for r in ropes]) >= k:
        low = length
    else:
        high = length - 1
print(low)
