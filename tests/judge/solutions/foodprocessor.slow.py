import sys
from math import log2

s, t, n, *rest = map(int, sys.stdin.buffer.read().split())
blades = list(zip(rest[::2], rest[1::2]))
time, size = 0.0, s
while size > t:
    usable = [h for m, h in blades if m >= size]
    if not usable:
        time = -1
        break
    down = max([t, *(m for m, h in blades if m < size)])
    time += min(usable) * log2(size / down)
    size = down
print(time)
