"""usage: generator.py SEED Q TOP: q heights between 0 and TOP."""

import random
import sys

seed, q, top = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
rng = random.Random(seed)
print(q)
print(*(rng.randrange(top + 1) for _ in range(q)))
