import sys
from bisect import bisect_left

a = list(map(int, sys.stdin.buffer.read().split()))[1:]
tops, rows = [], []
for x in a:
    i = bisect_left(tops, -x)
    if i == len(tops):
        tops.append(-x)
        rows.append([x])
    else:
        tops[i] = -x
        rows[i].append(x)
print(len(rows))
for row in rows:
    print(*row)
