import sys

data = list(map(int, sys.stdin.read().split()))
n = data[0]
people = data[: n + 1]
near = [[] for _ in range(n + 1)]
for a, b, length in zip(data[n + 1 :: 3], data[n + 2 :: 3], data[n + 3 :: 3]):
    near[a].append((b, length))
    near[b].append((a, length))
best = best_cost = None
for meeting in range(1, n + 1):
    cost = 0
    todo = [(meeting, 0, 0)]
    while todo:
        town, come_from, distance = todo.pop()
        cost += people[town] * distance
        for other, length in near[town]:
            if other != come_from:
                todo.append((other, town, distance + length))
    if best is None or cost < best_cost:
        best, best_cost = meeting, cost
print(best, best_cost)
