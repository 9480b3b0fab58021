import sys

data = list(map(int, sys.stdin.read().split()))
n, s = data[0], data[1:]
total = 0
for i in range(n):
    for j in range(i + 1, n):
        total += s[i] if s[i] < s[j] else s[j]
print(total)
