import sys
from collections import deque

data = list(map(int, sys.stdin.read().split()))
n, k, d = data[:3]
a = data[3:]
highs, lows = deque(), deque()  # positions; readings fall in highs and rise in lows
calm = 0
for i, x in enumerate(a):
    while highs and a[highs[-1]] <= x:
        highs.pop()
    highs.append(i)
    while lows and a[lows[-1]] >= x:
        lows.pop()
    lows.append(i)
    if highs[0] <= i - k:
        highs.popleft()
    if lows[0] <= i - k:
        lows.popleft()
    if i >= k - 1 and a[highs[0]] - a[lows[0]] <= d:
        calm += 1
print(calm)
