import sys

data = list(map(int, sys.stdin.read().split()))
n, a = data[0], data[1:]
total = 0
for i in range(n):
    for j in range(i + 1, n):
        total += a[i] + a[j]
print(total)
