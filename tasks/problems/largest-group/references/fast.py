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
    if a != b:
        if size[a] < size[b]:
            a, b = b, a
        parent[b] = a
        size[a] += size[b]
        if size[a] > largest:
            largest = size[a]
    total += largest
print(total)
