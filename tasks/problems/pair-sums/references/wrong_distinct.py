# Pairs up values instead of positions, so repeated values are lost.
import sys

data = list(map(int, sys.stdin.read().split()))
values = set(data[1:])
print((len(values) - 1) * sum(values))
