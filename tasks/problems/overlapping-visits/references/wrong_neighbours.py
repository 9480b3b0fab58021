# Sorts by start and measures runs of visits that overlap the visit before them.
import sys

data = list(map(int, sys.stdin.read().split()))
visits = sorted(zip(data[1::2], data[2::2]))
best = run = 1
for i in range(1, len(visits)):
    run = run + 1 if visits[i][0] <= visits[i - 1][1] else 1
    best = max(best, run)
print(best)
