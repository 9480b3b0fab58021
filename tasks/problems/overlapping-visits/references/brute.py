import sys

data = list(map(int, sys.stdin.read().split()))
visits = list(zip(data[1::2], data[2::2]))
best = 0
for second, _ in visits:
    inside = 0
    for start, end in visits:
        if start <= second <= end:
            inside += 1
    best = max(best, inside)
print(best)
