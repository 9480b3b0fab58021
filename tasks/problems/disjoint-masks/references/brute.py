import sys

a = list(map(int, sys.stdin.read().split()[1:]))
pairs = 0
for i in range(len(a)):
    for j in range(i):
        if a[i] & a[j] == 0:
            pairs += 1
print(pairs)
