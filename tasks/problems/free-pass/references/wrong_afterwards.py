# Finds the cheapest way without the voucher, then makes its dearest ride free.
import sys
from heapq import heappop, heappush

data = list(map(int, sys.stdin.read().split()))
n, m = data[:2]
near = [[] for _ in range(n + 1)]
for a, b, c in zip(data[2::3], data[3::3], data[4::3]):
    near[a].append((b, c))
    near[b].append((a, c))
best = {}
heap = [(0, 0, 1)]
while heap:
    paid, saved, town = heappop(heap)
    if town in best:
        continue
    best[town] = paid + saved
    if town == n:
        break
    for other, cost in near[town]:
        if other not in best:
            heappush(heap, (paid + cost, min(saved, -cost), other))
print(best.get(n, -1))
