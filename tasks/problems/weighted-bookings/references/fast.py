import sys
from bisect import bisect_right

data = list(map(int, sys.stdin.read().split()))
requests = sorted(zip(data[2::3], data[1::3], data[3::3]))
ends = [0]
best = [0]  # best[k]: the most that the first k requests by end can pay
for end, start, payment in requests:
    pay = best[bisect_right(ends, start) - 1] + payment
    best.append(pay if pay > best[-1] else best[-1])
    ends.append(end)
print(best[-1])
