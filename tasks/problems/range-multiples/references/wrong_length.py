# Takes the length of the range divided by k, wherever the range starts.
import sys

data = list(map(int, sys.stdin.read().split()))
q, k = data[0], data[1]
print(sum((data[3 + 2 * i] - data[2 + 2 * i] + 1) // k for i in range(q)))
