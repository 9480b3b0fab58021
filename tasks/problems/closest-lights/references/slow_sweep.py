# Right, but sweeps by x alone: slow when many lights have nearly the same x.
import sys

data = list(map(int, sys.stdin.read().split()))
points = sorted(zip(data[1::2], data[2::2]), key=lambda point: point[0])
best = 1 << 63
for i, (x, y) in enumerate(points):
    j = i - 1
    while j >= 0 and (x - points[j][0]) ** 2 < best:
        d = (x - points[j][0]) ** 2 + (y - points[j][1]) ** 2
        if d < best:
            best = d
        j -= 1
print(best)
