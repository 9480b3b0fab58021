# Believes that the best k planks are neighbours when sorted.
import sys
from functools import reduce
from math import gcd

data = list(map(int, sys.stdin.read().split()))
n, k = data[:2]
a = sorted(data[2:])
best = 1
for i in range(n - k + 1):
    if a[i + k - 1] >= best:
        g = 0
        for x in a[i : i + k]:
            g = gcd(g, x)
            if g <= best:
                break
        best = max(best, g)
print(best)
