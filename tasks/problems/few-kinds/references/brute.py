import sys

data = sys.stdin.read().split()
n, k = int(data[0]), int(data[1])
flowers = data[2:]
runs = 0
for i in range(n):
    kinds = set()
    for j in range(i, n):
        kinds.add(flowers[j])
        if len(kinds) > k:
            break
        runs += 1
print(runs)
