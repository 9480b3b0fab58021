import sys

data = list(map(int, sys.stdin.read().split()))
n = data[0]
busy = [False] * (n + 1)
total = 0
# The best paid job first, each on the latest free day that is in time.
for payment, deadline in sorted(zip(data[2::2], data[1::2]), reverse=True):
    day = min(deadline, n)
    while day > 0 and busy[day]:
        day -= 1
    if day > 0:
        busy[day] = True
        total += payment
print(total)
