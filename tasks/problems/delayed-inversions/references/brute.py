import sys

data = list(map(int, sys.stdin.read().split()))
n, d = data[:2]
a = data[2:]
falls = 0
for j in range(n):
    bound = a[j] + d
    for i in range(j):
        if a[i] > bound:
            falls += 1
print(falls)
