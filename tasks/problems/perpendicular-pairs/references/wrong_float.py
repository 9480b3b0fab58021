# Directions as floating-point slopes: steep neighbours become equal.
import sys

data = list(map(int, sys.stdin.read().split()))
seen = {}
pairs = 0
for x, y in zip(data[1::2], data[2::2]):
    slope = y / x if x else float("inf")
    across = float("inf") if y == 0 else 0.0 if x == 0 else -x / y
    pairs += seen.get(round(across, 12), 0)
    slope = round(slope, 12)
    seen[slope] = seen.get(slope, 0) + 1
print(pairs)
