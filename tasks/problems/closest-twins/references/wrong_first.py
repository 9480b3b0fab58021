# Measures from the first occurrence, not from the latest one.
import sys

first = {}
best = -1
for i, value in enumerate(sys.stdin.read().split()[1:]):
    if value in first:
        if best < 0 or i - first[value] < best:
            best = i - first[value]
    else:
        first[value] = i
print(best)
