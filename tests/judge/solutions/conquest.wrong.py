import heapq
import sys

data = list(map(int, sys.stdin.buffer.read().split()))
n, m = data[:2]
near = [[] for _ in range(n)]
for i in range(2, 2 + 2 * m, 2):
    u, v = data[i] - 1, data[i + 1] - 1
    near[u].append(v)
    near[v].append(u)
size = data[2 + 2 * m :]
seen = [False] * n
seen[0] = True
army, heap, at = size[0], [], 0
while True:
    for v in near[at]:
        if not seen[v]:
            seen[v] = True
            heapq.heappush(heap, (size[v], v))
    if not heap or heap[0][0] > army:
        break
    gain, at = heapq.heappop(heap)
    army += gain
print(army)
