# Forgets to sort.
import sys

data = list(map(int, sys.stdin.read().split()))
n = data[0]
print(sum(s * (n - 1 - i) for i, s in enumerate(data[1:])))
