import sys

data = list(map(int, sys.stdin.read().split()))
n, q = data[:2]
colours = data[2 : n + 2]
total = 0
for left, right in zip(data[n + 2 :: 2], data[n + 3 :: 2]):
    total += len(set(colours[left - 1 : right]))
print(total)
