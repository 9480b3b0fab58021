import sys

data = list(map(int, sys.stdin.read().split()))
starts = sorted(data[1::2])
ends = sorted(data[2::2])
best = 0
left = 0
for entered, start in enumerate(starts, 1):
    while ends[left] < start:
        left += 1
    if entered - left > best:
        best = entered - left
print(best)
