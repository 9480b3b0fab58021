import sys

data = list(map(int, sys.stdin.read().split()))
n, m = data[:2]
a = data[2:]
best = 0
for i in range(n):
    total = 0
    for j in range(i, n):
        total += a[j]
        if total % m == 0 and j - i + 1 > best:
            best = j - i + 1
print(best)
