# Starts over after each balanced stretch: overlapping ones are lost.
import sys

seen = {0}
total = 0
stretches = 0
for a in map(int, sys.stdin.read().split()[1:]):
    total += a
    if total in seen:
        stretches += 1
        seen = {0}
        total = 0
    else:
        seen.add(total)
print(stretches)
