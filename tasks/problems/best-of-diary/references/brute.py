import sys

data = list(map(int, sys.stdin.read().split()))
n, k = data[:2]
scores = data[2:]
total = 0
for day in range(1, n + 1):
    total += sum(sorted(scores[:day], reverse=True)[:k])
print(total)
