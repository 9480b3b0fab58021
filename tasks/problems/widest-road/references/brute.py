import sys
from heapq import heappop, heappush

data = list(map(int, sys.stdin.read().split()))
n, m, q = data[:3]
end = 3 + 3 * m
near = [[] for _ in range(n + 1)]
for a, b, w in zip(data[3:end:3], data[4:end:3], data[5:end:3]):
    near[a].append((b, w))
    near[b].append((a, w))
total = 0
for s, t in zip(data[end::2], data[end + 1 :: 2]):
    # always go on over the strongest road that leads out of what has been reached
    reached = set()
    heap = [(-(1 << 60), s)]
    while heap:
        weight, town = heappop(heap)
        if town == t:
            total -= weight
            break
        if town in reached:
            continue
        reached.add(town)
        for other, w in near[town]:
            if other not in reached:
                heappush(heap, (max(weight, -w), other))
print(total)
