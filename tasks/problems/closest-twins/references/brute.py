import sys

a = list(map(int, sys.stdin.read().split()))[1:]
best = -1
for i in range(len(a)):
    for j in range(i + 1, len(a)):
        if a[i] == a[j]:
            if best < 0 or j - i < best:
                best = j - i
            break
print(best)
