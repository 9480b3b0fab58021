# Lets equal depths fit.
import sys
from bisect import bisect_right

data = list(map(int, sys.stdin.read().split()))
tails = []
for _, negative in sorted(zip(data[1::2], (-d for d in data[2::2]))):
    k = bisect_right(tails, -negative)
    if k == len(tails):
        tails.append(-negative)
    else:
        tails[k] = -negative
print(len(tails))
