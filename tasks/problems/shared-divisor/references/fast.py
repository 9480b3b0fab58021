import sys

data = list(map(int, sys.stdin.read().split()))
n, k = data[:2]
top = max(data[2:])
count = [0] * (top + 1)
for length in data[2:]:
    count[length] += 1
g = top
while sum(count[g::g]) < k:
    g -= 1
print(g)
