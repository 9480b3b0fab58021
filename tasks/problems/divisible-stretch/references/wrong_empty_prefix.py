# Forgets that a stretch may begin at the first number.
import sys

data = list(map(int, sys.stdin.read().split()))
n, m = data[:2]
first = {}
total = best = 0
for i, a in enumerate(data[2:], 1):
    total = (total + a) % m
    best = max(best, i - first.setdefault(total, i))
print(best)
