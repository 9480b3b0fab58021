import sys
from math import log2

s, t, n, *rest = map(int, sys.stdin.buffer.read().split())
blades = sorted(zip(rest[::2], rest[1::2]), reverse=True)
best, time, size, i = None, 0.0, s, 0
while True:
    while i < n and blades[i][0] >= size:
        best = blades[i][1] if best is None else min(best, blades[i][1])
        i += 1
    if best is None:
        print(-1)
        break
    down = max(t, blades[i][0]) if i < n else t
    time += best * log2(size / down)
    size = down
    if size <= t:
        print(time)
        break
