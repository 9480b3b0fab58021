# Adds the sizes even when both islands are in one group already.
import sys

data = list(map(int, sys.stdin.read().split()))
n, m = data[:2]
parent = list(range(n + 1))
size = [1] * (n + 1)
largest = 1
total = 0
for a, b in zip(data[2::2], data[3::2]):
    while parent[a] != a:
        parent[a] = a = parent[parent[a]]
    while parent[b] != b:
        parent[b] = b = parent[parent[b]]
    if size[a] < size[b]:
        a, b = b, a
    parent[b] = a
    size[a] = min(n, size[a] + size[b])
    largest = max(largest, size[a])
    total += largest
print(total)
