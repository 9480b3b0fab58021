import sys

data = list(map(int, sys.stdin.read().split()))
n, a = data[0], data[1:]
pairs = 0
for i in range(n):
    for j in range(i + 1, n):
        if a[i] == a[j]:
            pairs += 1
print(pairs)
