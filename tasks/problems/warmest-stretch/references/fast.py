import sys

data = list(map(int, sys.stdin.read().split()))
n, k, t = data[0], data[1], data[2:]
window = sum(t[:k])
best = window
for i in range(k, n):
    window += t[i] - t[i - k]
    if window > best:
        best = window
print(best)
