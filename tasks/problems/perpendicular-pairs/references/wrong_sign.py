# Reduces by the gcd but keeps opposite directions apart, and only turns to the left.
import sys
from math import gcd

data = list(map(int, sys.stdin.read().split()))
seen = {}
pairs = 0
for x, y in zip(data[1::2], data[2::2]):
    g = gcd(x, y)
    x, y = x // g, y // g
    pairs += seen.get((-y, x), 0)
    seen[x, y] = seen.get((x, y), 0) + 1
print(pairs)
