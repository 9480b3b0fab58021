# The tree of weakest roads instead of strongest ones.
import sys

data = list(map(int, sys.stdin.read().split()))
n, m, q = data[:3]
end = 3 + 3 * m
roads = sorted(zip(data[5:end:3], data[3:end:3], data[4:end:3]))
parent = list(range(n + 1))
size = [1] * (n + 1)
bound = [0] * (n + 1)
for w, a, b in roads:
    while parent[a] != a:
        a = parent[a]
    while parent[b] != b:
        b = parent[b]
    if a != b:
        if size[a] < size[b]:
            a, b = b, a
        parent[b] = a
        size[a] += size[b]
        bound[b] = w
total = 0
for s, t in zip(data[end::2], data[end + 1 :: 2]):
    above = {}
    low = 1 << 60
    while True:
        above[s] = low
        if parent[s] == s:
            break
        low = min(low, bound[s])
        s = parent[s]
    low = 1 << 60
    while t not in above and parent[t] != t:
        low = min(low, bound[t])
        t = parent[t]
    if t in above:
        total += min(low, above[t])
print(total)
