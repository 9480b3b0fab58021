# A score that is among the best already is not counted again.
import sys
from heapq import heappop, heappush

data = list(map(int, sys.stdin.read().split()))
n, k = data[:2]
best, members = [], set()
mood = total = 0
for score in data[2:]:
    if score not in members:
        heappush(best, score)
        members.add(score)
        mood += score
        if len(best) > k:
            gone = heappop(best)
            members.discard(gone)
            mood -= gone
    total += mood
print(total)
