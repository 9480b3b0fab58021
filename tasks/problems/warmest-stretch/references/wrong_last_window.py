# Never looks at the last stretch.
import sys

data = list(map(int, sys.stdin.read().split()))
n, k, t = data[0], data[1], data[2:]
window = sum(t[:k])
best = window
for i in range(k, n - 1):
    window += t[i] - t[i - k]
    best = max(best, window)
print(best)
