# Lets people leave before others enter in the same second.
import sys

data = list(map(int, sys.stdin.read().split()))
events = [(s, 1) for s in data[1::2]] + [(e, -1) for e in data[2::2]]
events.sort()
inside = best = 0
for _, change in events:
    inside += change
    best = max(best, inside)
print(best)
