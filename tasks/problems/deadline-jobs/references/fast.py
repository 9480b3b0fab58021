import sys
from heapq import heappush, heappushpop

data = list(map(int, sys.stdin.read().split()))
taken = []  # payments of the jobs that are planned; all of them fit
for deadline, payment in sorted(zip(data[1::2], data[2::2])):
    if len(taken) < deadline:
        heappush(taken, payment)
    else:  # no free day is left: give up the job that pays least
        heappushpop(taken, payment)
print(sum(taken))
