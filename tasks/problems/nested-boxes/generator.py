"""usage: generator.py SEED KIND N M.

random: sides 1..M; diagonal: width and depth differ by little, M of them are equally wide.
"""

import random
import sys

seed, kind, n, m = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rng = random.Random(seed)
boxes = []
for i in range(n):
    if kind == "random":
        boxes.append((1 + rng.randrange(m), 1 + rng.randrange(m)))
    else:
        width = 1 + i if rng.randrange(3) else 1 + i - i % m
        boxes.append((width, width + rng.randrange(m)))
boxes = [box for _, box in sorted((rng.getrandbits(60), box) for box in boxes)]
print(n)
for width, depth in boxes:
    print(width, depth)
