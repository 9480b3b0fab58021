# When two divisors become equal, one of the two counts is lost.
import sys
from math import gcd

data = list(map(int, sys.stdin.read().split()))
n, g = data[:2]
count = 0
ending = {}
for x in data[2:]:
    now = {gcd(d, x): times for d, times in ending.items()}
    now[x] = now.get(x, 0) + 1
    ending = now
    count += ending.get(g, 0)
print(count)
