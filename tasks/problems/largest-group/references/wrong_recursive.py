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


for i in range(m):
    a, b = sorted(data[2 + 2 * i : 4 + 2 * i])
    if a != b and parent[a] == a and parent[b] == b:
        parent[a] = b
        size[b] += size[a]
        largest = max(largest, size[b])
    else:
        a, b = find(a), find(b)
        if a != b:
            parent[a] = b
            size[b] += size[a]
            largest = max(largest, size[b])
    total += largest
find(1)
print(total)
