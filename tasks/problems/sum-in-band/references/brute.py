import sys

data = list(map(int, sys.stdin.read().split()))
n, low, high = data[:3]
a = data[3:]
count = 0
for i in range(n):
    total = 0
    for j in range(i, n):
        total += a[j]
        if low <= total <= high:
            count += 1
print(count)
