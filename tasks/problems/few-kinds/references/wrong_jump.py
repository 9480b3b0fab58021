# When there is one kind too many, drops a single flower instead of enough of them.
import sys

data = sys.stdin.read().split()
n, k = int(data[0]), int(data[1])
flowers = data[2:]
count = {}
start = runs = 0
for i, kind in enumerate(flowers):
    count[kind] = count.get(kind, 0) + 1
    if len(count) > k:
        old = flowers[start]
        count[old] -= 1
        if count[old] == 0:
            del count[old]
        start += 1
    runs += i - start + 1
print(runs)
