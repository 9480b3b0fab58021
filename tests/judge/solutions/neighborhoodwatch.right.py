import sys

n, k, *h = map(int, sys.stdin.read().split())
total, last = n * (n + 1) // 2, 0
for x in [*h, n + 1]:
    gap = x - last - 1
    total -= gap * (gap + 1) // 2
    last = x
print(total)
