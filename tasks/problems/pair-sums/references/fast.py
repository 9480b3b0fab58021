import sys

data = list(map(int, sys.stdin.read().split()))
n, a = data[0], data[1:]
# Every value meets each of the n - 1 others exactly once.
print((n - 1) * sum(a))
