import sys
from math import gcd

data = list(map(int, sys.stdin.read().split()))
seen = {}  # number of arrows by reduced direction, opposite directions being one
pairs = 0
for x, y in zip(data[1::2], data[2::2]):
    g = gcd(x, y)
    if x < 0 or (x == 0 and y < 0):
        g = -g
    x, y = x // g, y // g
    across = (y, -x) if y > 0 or (y == 0 and x < 0) else (-y, x)
    pairs += seen.get(across, 0)
    seen[x, y] = seen.get((x, y), 0) + 1
print(pairs)
