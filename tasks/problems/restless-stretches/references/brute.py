import sys

a = list(map(int, sys.stdin.read().split()[1:]))
total = 0
for i in range(len(a)):
    low = high = a[i]
    for j in range(i, len(a)):
        x = a[j]
        if x < low:
            low = x
        elif x > high:
            high = x
        total += high - low
print(total)
