# Two pointers: starts over behind a number once its stretch has the divisor g.
import sys
from math import gcd

data = list(map(int, sys.stdin.read().split()))
n, g = data[:2]
count = d = start = 0
for i, x in enumerate(data[2:]):
    if x % g:
        d, start = 0, i + 1
        continue
    d = gcd(d, x)
    if d == g:
        count += i - start + 1
print(count)
