# range() stops one row early.
import sys

data = list(map(int, sys.stdin.read().split()))
print(sum(h * (h - 1) // 2 for h in data[1:]))
