# Looks at stretches of exactly k minutes only.
import sys

data = list(map(int, sys.stdin.read().split()))
n, k = data[:2]
a = data[2:]
total = best = sum(a[:k])
for i in range(k, n):
    total += a[i] - a[i - k]
    best = max(best, total)
print(best / k)
