# Does the best paid jobs first, each on the first free day, and so uses up the early days.
import sys

data = list(map(int, sys.stdin.read().split()))
total = day = 0
for payment, deadline in sorted(zip(data[2::2], data[1::2]), reverse=True):
    if day < deadline:
        day += 1
        total += payment
print(total)
