# Sorts by start and asks the last accepted request only.
import sys

data = list(map(int, sys.stdin.read().split()))
requests = sorted(zip(data[1::3], data[2::3], data[3::3]))
total = last_end = last_payment = 0
for start, end, payment in requests:
    if start >= last_end:
        total += payment
        last_end, last_payment = end, payment
    elif payment > last_payment:
        total += payment - last_payment
        last_end, last_payment = end, payment
print(total)
