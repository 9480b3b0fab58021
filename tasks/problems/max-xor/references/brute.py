import sys

a = list(map(int, sys.stdin.read().split()[1:]))
best = 0
for i in range(len(a)):
    for j in range(i):
        if a[i] ^ a[j] > best:
            best = a[i] ^ a[j]
print(best)
