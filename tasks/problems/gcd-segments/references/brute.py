import sys
from math import gcd

data = list(map(int, sys.stdin.read().split()))
n, g = data[:2]
a = data[2:]
count = 0
for i in range(n):
    d = 0
    for j in range(i, n):
        d = gcd(d, a[j])
        if d == g:
            count += 1
print(count)
