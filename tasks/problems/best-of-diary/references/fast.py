import sys
from heapq import heappush, heappushpop

data = list(map(int, sys.stdin.read().split()))
n, k = data[:2]
best = []
mood = total = 0
for score in data[2:]:
    if len(best) < k:
        heappush(best, score)
        mood += score
    else:
        mood += score - heappushpop(best, score)
    total += mood
print(total)
