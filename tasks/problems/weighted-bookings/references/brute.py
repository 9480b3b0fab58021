import sys

data = list(map(int, sys.stdin.read().split()))
requests = sorted(zip(data[2::3], data[1::3], data[3::3]))
best = []  # best[i]: the most when request i is the last one accepted
for i, (end, start, payment) in enumerate(requests):
    before = 0
    for j in range(i):
        if requests[j][0] <= start and best[j] > before:
            before = best[j]
    best.append(before + payment)
print(max(best))
