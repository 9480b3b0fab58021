# Sorts by x and compares neighbours only.
import sys

data = list(map(int, sys.stdin.read().split()))
points = sorted(zip(data[1::2], data[2::2]))
print(min((a - c) ** 2 + (b - d) ** 2 for (a, b), (c, d) in zip(points, points[1:])))
