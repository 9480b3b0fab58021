import sys

data = list(map(int, sys.stdin.read().split()))
n, k, w = data[:3]
ropes = data[3:]
length = max(ropes)
while length > 0 and sum((r + w) // (length + w) for r in ropes) < k:
    length -= 1
print(length)
