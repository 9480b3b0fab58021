# Also counts a day that only equals the record.
import sys

temperatures = list(map(int, sys.stdin.read().split()))[1:]
best = temperatures[0]
records = 0
for t in temperatures:
    if t >= best:
        best = t
        records += 1
print(records)
