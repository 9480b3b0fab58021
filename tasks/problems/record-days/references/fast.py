import sys

temperatures = list(map(int, sys.stdin.read().split()))[1:]
records = 1
best = temperatures[0]
for t in temperatures:
    if t > best:
        best = t
        records += 1
print(records)
