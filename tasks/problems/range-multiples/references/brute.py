import sys

data = list(map(int, sys.stdin.read().split()))
q, k = data[0], data[1]
total = 0
for i in range(q):
    a, b = data[2 + 2 * i], data[3 + 2 * i]
    for x in range(a, b + 1):
        if x % k == 0:
            total += 1
print(total)
