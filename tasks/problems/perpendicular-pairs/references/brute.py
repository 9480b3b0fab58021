import sys

data = list(map(int, sys.stdin.read().split()))
arrows = list(zip(data[1::2], data[2::2]))
pairs = 0
for i, (x, y) in enumerate(arrows):
    for j in range(i):
        if x * arrows[j][0] + y * arrows[j][1] == 0:
            pairs += 1
print(pairs)
