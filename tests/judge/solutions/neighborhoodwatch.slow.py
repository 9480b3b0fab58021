import sys

n, k, *h = map(int, sys.stdin.read().split())
watch = set(h)
total = 0
for i in range(1, n + 1):
    safe = False
    for j in range(i, n + 1):
        safe = safe or j in watch
        total += safe
print(total)
