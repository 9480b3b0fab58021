# Accepts by earliest end, as if all payments were equal.
import sys

data = list(map(int, sys.stdin.read().split()))
total = free = 0
for end, start, payment in sorted(zip(data[2::3], data[1::3], data[3::3])):
    if start >= free:
        total += payment
        free = end
print(total)
