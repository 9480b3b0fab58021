"""usage: generator.py SEED KIND N; random tree, path, or broom: a path with a star at its end."""

import random
import sys

seed, kind, n = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
rng = random.Random(seed)
# a path keeps its numbers in order, so that its far end is as deep as it can be
names = list(range(1, n + 1))
if kind == "random":
    names.sort(key=lambda _: rng.getrandbits(60))
people = [rng.randrange(1001) if rng.randrange(4) else 0 for _ in range(n)]
roads = []
for i in range(1, n):
    if kind == "random":
        parent = i - 1 - rng.randrange(min(i, 30))
    elif kind == "path":
        parent = i - 1
    else:
        parent = min(i - 1, n // 2)
    a, b = names[parent], names[i]
    if rng.randrange(2):
        a, b = b, a
    roads.append((a, b, rng.randrange(1001)))
if kind != "path":
    roads = [road for _, road in sorted((rng.getrandbits(60), road) for road in roads)]
print(n)
print(*people)
for road in roads:
    print(*road)
