# Finds roots by recursion and joins without looking at sizes: long chains are too deep.
import sys

data = list(map(int, sys.stdin.read().split()))
n, m = data[:2]
parent = list(range(n + 1))
size = [1] * (n + 1)
largest = 1
total = 0


def find(x):
    if parent[x] != x:
        parent[x] = find(parent[x])
    return parent[x]


for a, b in zip(data[2::2], data[3::2]):
    a, b = find(a), find(b)
    if a != b:
        parent[a] = b
        size[b] += size[a]
        largest = max(largest, size[b])
    total += largest
print(total)
