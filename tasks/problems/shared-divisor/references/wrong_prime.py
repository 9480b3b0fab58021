# Looks at prime measures only.
import sys

data = list(map(int, sys.stdin.read().split()))
n, k = data[:2]
top = max(data[2:])
count = [0] * (top + 1)
for length in data[2:]:
    count[length] += 1
composite = bytearray(top + 1)
best = 1
for p in range(2, top + 1):
    if not composite[p]:
        composite[p::p] = b"\1" * len(range(p, top + 1, p))
        if sum(count[p::p]) >= k:
            best = p
print(best)
