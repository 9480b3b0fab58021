import sys

h = list(map(int, sys.stdin.read().split()[1:]))
total = 0
for i in range(len(h)):
    for j in range(i + 1, len(h)):
        total += 1
        if h[j] >= h[i]:
            break
print(total)
