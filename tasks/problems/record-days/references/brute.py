import sys

t = list(map(int, sys.stdin.read().split()))[1:]
records = 0
for i in range(len(t)):
    if all(t[j] < t[i] for j in range(i)):
        records += 1
print(records)
