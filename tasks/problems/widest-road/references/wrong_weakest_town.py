# Takes the strongest road of each of the two towns and answers with the weaker of them.
import sys

data = list(map(int, sys.stdin.read().split()))
n, m, q = data[:3]
end = 3 + 3 * m
group = list(range(n + 1))
strongest = [0] * (n + 1)


def find(x):
    while group[x] != x:
        group[x] = x = group[group[x]]
    return x


for a, b, w in zip(data[3:end:3], data[4:end:3], data[5:end:3]):
    if a != b:
        strongest[a] = max(strongest[a], w)
        strongest[b] = max(strongest[b], w)
        group[find(a)] = find(b)
total = 0
for s, t in zip(data[end::2], data[end + 1 :: 2]):
    if find(s) == find(t):
        total += min(strongest[s], strongest[t])
print(total)
