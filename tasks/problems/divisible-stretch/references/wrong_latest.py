# Remembers the latest place of each remainder: stretches come out too short.
import sys

data = list(map(int, sys.stdin.read().split()))
n, m = data[:2]
last = {0: 0}
total = best = 0
for i, a in enumerate(data[2:], 1):
    total = (total + a) % m
    if total in last:
        best = max(best, i - last[total])
    last[total] = i
print(best)
