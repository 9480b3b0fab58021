# Compares with the day before only.
import sys

t = list(map(int, sys.stdin.read().split()))[1:]
print(1 + sum(t[i] > t[i - 1] for i in range(1, len(t))))
