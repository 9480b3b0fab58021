# Meets at a town with the fewest people in its largest part, the first one it comes to from town 1.
import sys

data = list(map(int, sys.stdin.read().split()))
n = data[0]
people = data[: n + 1]
near = [[] for _ in range(n + 1)]
for a, b, length in zip(data[n + 1 :: 3], data[n + 2 :: 3], data[n + 3 :: 3]):
    near[a].append((b, length))
    near[b].append((a, length))


def walk(start):
    order, parent, distance = [start], [0] * (n + 1), [0] * (n + 1)
    for town in order:
        for other, length in near[town]:
            if other != parent[town]:
                parent[other] = town
                distance[other] = distance[town] + length
                order.append(other)
    return order, parent, distance


order, parent, _ = walk(1)
below = people[:]
for town in reversed(order[1:]):
    below[parent[town]] += below[town]
town = 1
moved = True
while moved:
    moved = False
    for other, _ in near[town]:
        if other != parent[town] and 2 * below[other] >= below[1] > 0:
            town = other
            moved = True
            break
_, _, distance = walk(town)
print(town, sum(p * d for p, d in zip(people[1:], distance[1:])))
