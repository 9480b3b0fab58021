import sys

a = list(map(int, sys.stdin.read().split()[1:]))
stretches = 0
for i in range(len(a)):
    total = 0
    for j in range(i, len(a)):
        total += a[j]
        if total == 0:
            stretches += 1
print(stretches)
