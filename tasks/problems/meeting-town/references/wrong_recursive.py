# Right, but goes down by recursion: long paths are too deep.
import sys

data = list(map(int, sys.stdin.read().split()))
n = data[0]
below = data[: n + 1]
near = [[] for _ in range(n + 1)]
for a, b, length in zip(data[n + 1 :: 3], data[n + 2 :: 3], data[n + 3 :: 3]):
    near[a].append((b, length))
    near[b].append((a, length))
cost = [0] * (n + 1)


def down(town, parent):
    for other, length in near[town]:
        if other != parent:
            down(other, town)
            below[town] += below[other]
            cost[1] += below[other] * length


def up(town, parent):
    for other, length in near[town]:
        if other != parent:
            cost[other] = cost[town] + (below[1] - 2 * below[other]) * length
            up(other, town)


down(1, 0)
up(1, 0)
best = min(range(1, n + 1), key=lambda town: cost[town])
print(best, cost[best])
