# Leaves out a multiple at the left end of the range.
import sys

data = list(map(int, sys.stdin.read().split()))
q, k = data[0], data[1]
print(sum(data[3 + 2 * i] // k - data[2 + 2 * i] // k for i in range(q)))
