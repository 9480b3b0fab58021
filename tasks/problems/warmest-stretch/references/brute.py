import sys

data = list(map(int, sys.stdin.read().split()))
n, k, t = data[0], data[1], data[2:]
print(max(sum(t[i : i + k]) for i in range(n - k + 1)))
