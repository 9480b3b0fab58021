# One price for each town: whoever used the voucher early hides the way that kept it.
import sys
from heapq import heappop, heappush

data = list(map(int, sys.stdin.read().split()))
n, m = data[:2]
near = [[] for _ in range(n + 1)]
for a, b, c in zip(data[2::3], data[3::3], data[4::3]):
    near[a].append((b, c))
    near[b].append((a, c))
done = set()
heap = [(0, 1, 1)]
answer = -1
while heap:
    paid, left, town = heappop(heap)
    if town == n:
        answer = paid
        break
    if town in done:
        continue
    done.add(town)
    for other, cost in near[town]:
        heappush(heap, (paid + cost, left, other))
        if left:
            heappush(heap, (paid, 0, other))
print(answer)
