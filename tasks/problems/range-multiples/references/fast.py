import sys

data = list(map(int, sys.stdin.read().split()))
q, k = data[0], data[1]
print(sum(b // k for b in data[3::2]) - sum((a - 1) // k for a in data[2::2]))
