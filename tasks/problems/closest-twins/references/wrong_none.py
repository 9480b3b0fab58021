# Prints n when there are no twins.
import sys

values = sys.stdin.read().split()[1:]
last = {}
best = len(values)
for i, value in enumerate(values):
    if value in last:
        best = min(best, i - last[value])
    last[value] = i
print(best)
