import sys

data = list(map(int, sys.stdin.read().split()))
n, k, w = data[:3]
ropes = [r + w for r in data[3:]]  # a rope gives (r + w) // (L + w) pieces
low, high = 0, max(ropes) - w
while low < high:
    length = (low + high + 1) // 2
    step = length + w
    if sum([r // step for r in ropes]) >= k:
        low = length
    else:
        high = length - 1
print(low)
