import sys

data = list(map(int, sys.stdin.read().split()))
n, k = data[:2]
lengths = data[2:]
g = max(lengths)
while sum(length % g == 0 for length in lengths) < k:
    g -= 1
print(g)
