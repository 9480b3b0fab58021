import sys

data = list(map(int, sys.stdin.read().split()))
total = 0
for h in data[1:]:
    for row in range(1, h + 1):
        total += row
print(total)
