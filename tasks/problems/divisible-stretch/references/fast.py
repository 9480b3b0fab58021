import sys

data = list(map(int, sys.stdin.read().split()))
n, m = data[:2]
first = {0: 0}
total = best = 0
for i, a in enumerate(data[2:], 1):
    total = (total + a) % m
    start = first.setdefault(total, i)
    if i - start > best:
        best = i - start
print(best)
