# Joins the islands themselves instead of the roots of their groups.
import sys

data = list(map(int, sys.stdin.read().split()))
n, m = data[:2]
parent = list(range(n + 1))
size = [1] * (n + 1)
largest = 1
total = 0


def find(x):
    while parent[x] != x:
        x = parent[x]
    return x


for a, b in zip(data[2::2], data[3::2]):
    root = find(a)
    if root != find(b):
        if parent[b] == b:
            parent[b] = root
        elif parent[a] == a:
            parent[a] = find(b)
            root = find(b)
        size[root] += size[b]
        largest = max(largest, size[root])
    total += largest
print(total)
