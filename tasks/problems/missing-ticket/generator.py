"""usage: generator.py SEED KIND N.

full: a permutation of 1..N; gap: one number near the end is replaced by a huge one;
repeats: a third of the records are repeats, zeros or negative numbers.
"""

import random
import sys

seed, kind, n = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
rng = random.Random(seed)
numbers = list(range(1, n + 1))
if kind == "gap":
    numbers[n - 1 - rng.randrange(max(1, n // 20))] = 10**9 - rng.randrange(1000)
elif kind == "repeats":
    kept = n - n // 3
    for i in range(kept, n):
        numbers[i] = (1 + rng.randrange(kept), 0, -rng.randrange(n))[rng.randrange(3)]
numbers = [number for _, number in sorted((rng.getrandbits(60), number) for number in numbers)]
print(n)
print(*numbers)
