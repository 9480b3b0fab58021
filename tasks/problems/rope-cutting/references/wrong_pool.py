# Treats the ropes as one long rope.
import sys

data = list(map(int, sys.stdin.read().split()))
n, k, w = data[:3]
print(max(0, (sum(data[3:]) + w) // k - w))
