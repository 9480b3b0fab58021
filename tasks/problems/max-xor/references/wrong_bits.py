# Takes every bit in which some two codes differ.
import sys

a = list(map(int, sys.stdin.read().split()[1:]))
some, every = 0, (1 << 30) - 1
for x in a:
    some |= x
    every &= x
print(some & ~every)
