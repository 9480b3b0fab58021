import sys

data = list(map(int, sys.stdin.read().split()))
points = list(zip(data[1::2], data[2::2]))
best = 1 << 63
for i, (x, y) in enumerate(points):
    for j in range(i):
        dx, dy = x - points[j][0], y - points[j][1]
        if dx * dx + dy * dy < best:
            best = dx * dx + dy * dy
print(best)
