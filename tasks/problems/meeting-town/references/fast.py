import sys

data = list(map(int, sys.stdin.read().split()))
n = data[0]
people = data[: n + 1]
near = [[] for _ in range(n + 1)]
for a, b, length in zip(data[n + 1 :: 3], data[n + 2 :: 3], data[n + 3 :: 3]):
    near[a].append((b, length))
    near[b].append((a, length))
parent = [0] * (n + 1)
road = [0] * (n + 1)  # length of the road to the parent
order = [1]
for town in order:
    for other, length in near[town]:
        if other != parent[town]:
            parent[other] = town
            road[other] = length
            order.append(other)
below = people[:]  # people in the subtree of each town
below[0] = 0
cost = [0] * (n + 1)
for town in reversed(order[1:]):
    below[parent[town]] += below[town]
    cost[1] += below[town] * road[town]
total = below[1]
for town in order[1:]:
    # moving down the road brings `below` people nearer and takes all others further away
    cost[town] = cost[parent[town]] + (total - 2 * below[town]) * road[town]
best = min(range(1, n + 1), key=cost.__getitem__)
print(best, cost[best])
