# Counts every value n times: each position is paired with itself too.
import sys

data = list(map(int, sys.stdin.read().split()))
print(data[0] * sum(data[1:]) if data[0] > 1 else 0)
