import sys

data = list(map(int, sys.stdin.read().split()))
n, k, d = data[:3]
a = data[3:]
calm = 0
for i in range(n - k + 1):
    window = a[i : i + k]
    if max(window) - min(window) <= d:
        calm += 1
print(calm)
