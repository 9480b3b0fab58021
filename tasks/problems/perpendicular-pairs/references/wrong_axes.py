# Makes x positive, but leaves (0, 1) and (0, -1) different.
import sys
from math import gcd

data = list(map(int, sys.stdin.read().split()))
seen = {}
pairs = 0
for x, y in zip(data[1::2], data[2::2]):
    g = gcd(x, y) * (-1 if x < 0 else 1)
    x, y = x // g, y // g
    across = (-y, x) if y < 0 else (y, -x)
    pairs += seen.get(across, 0)
    seen[x, y] = seen.get((x, y), 0) + 1
print(pairs)
