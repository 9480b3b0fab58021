# Also counts losses of exactly d.
import sys
from bisect import bisect_left, insort

data = list(map(int, sys.stdin.read().split()))
n, d = data[:2]
seen = []
falls = 0
for x in data[2:]:
    falls += len(seen) - bisect_left(seen, x + d)
    insort(seen, x)
print(falls)
