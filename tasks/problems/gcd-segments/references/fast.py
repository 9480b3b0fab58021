import sys
from math import gcd

data = list(map(int, sys.stdin.read().split()))
n, g = data[:2]
count = 0
ending = {}  # gcd -> number of stretches that end here; few different ones, each divides the next
for x in data[2:]:
    now = {x: 1}
    for d, times in ending.items():
        d = gcd(d, x)
        now[d] = now.get(d, 0) + times
    ending = now
    count += ending.get(g, 0)
print(count)
