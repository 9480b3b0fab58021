import sys

data = list(map(int, sys.stdin.read().split()))
n, m, q = data[:3]
end = 3 + 3 * m
roads = sorted(zip(data[5:end:3], data[3:end:3], data[4:end:3]), reverse=True)
# Roads join groups, the strongest first; smaller groups are hung below larger ones, so no town is
# deeper than log n. bound[x]: the road by which x was hung; bounds fall on the way up.
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
    # the one that was hung by the stronger road goes up first
    weight = 0
    while s != t:
        if bound[s] < bound[t] or parent[s] == s:
            s, t = t, s
        if parent[s] == s:
            weight = 0
            break
        weight = bound[s]
        s = parent[s]
    total += weight
print(total)
