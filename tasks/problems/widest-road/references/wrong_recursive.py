# Builds the tree of strongest roads and walks it by recursion, from one root to all towns.
import sys

data = list(map(int, sys.stdin.read().split()))
n, m, q = data[:3]
end = 3 + 3 * m
roads = sorted(zip(data[5:end:3], data[3:end:3], data[4:end:3]), reverse=True)
group = list(range(n + 1))


def find(x):
    while group[x] != x:
        group[x] = x = group[group[x]]
    return x


near = [[] for _ in range(n + 1)]
for w, a, b in roads:
    if find(a) != find(b):
        group[find(a)] = find(b)
        near[a].append((b, w))
        near[b].append((a, w))


def weight(town, target, come_from, carries):
    if town == target:
        return carries
    for other, w in near[town]:
        if other != come_from:
            found = weight(other, target, town, min(carries, w))
            if found:
                return found
    return 0


print(sum(weight(s, t, 0, 1 << 60) for s, t in zip(data[end::2], data[end + 1 :: 2])))
