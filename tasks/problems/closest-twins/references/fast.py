import sys

values = sys.stdin.read().split()[1:]
last = {}
best = -1
for i, value in enumerate(values):
    if value in last and (best < 0 or i - last[value] < best):
        best = i - last[value]
    last[value] = i
print(best)
