import sys
from heapq import heappop, heappush

data = list(map(int, sys.stdin.read().split()))
n, m = data[:2]
near = [[] for _ in range(n)]
for a, b, c in zip(data[2::3], data[3::3], data[4::3]):
    near[a - 1].append((b - 1, c))
    near[b - 1].append((a - 1, c))
FAR = 1 << 60
# State town: the voucher is left; state n + town: it has been used.
price = [FAR] * (2 * n)
price[0] = price[n] = 0
heap = [(0, 0)]
while heap:
    paid, state = heappop(heap)
    if paid > price[state]:
        continue
    if state >= n:
        for town, cost in near[state - n]:
            cost += paid
            town += n
            if cost < price[town]:
                price[town] = cost
                heappush(heap, (cost, town))
    else:
        for town, cost in near[state]:
            cost += paid
            if cost < price[town]:
                price[town] = cost
                heappush(heap, (cost, town))
            town += n
            if paid < price[town]:
                price[town] = paid
                heappush(heap, (paid, town))
best = min(price[n - 1], price[2 * n - 1])
print(best if best < FAR else -1)
