# Closes a batch as soon as adding the next parcel would cost more than a new batch.
import sys

data = list(map(int, sys.stdin.read().split()))
n, c = data[:2]
total = 0
batch = None
for w in data[2:]:
    if batch is not None and (batch + w) ** 2 <= batch**2 + w**2 + c:
        batch += w
    else:
        if batch is not None:
            total += batch**2 + c
        batch = w
print(total + batch**2 + c)
