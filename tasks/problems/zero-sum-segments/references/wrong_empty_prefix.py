# Forgets the empty prefix: stretches that begin at the first entry are lost.
import sys

seen = {}
total = 0
stretches = 0
for a in map(int, sys.stdin.read().split()[1:]):
    total += a
    stretches += seen.get(total, 0)
    seen[total] = seen.get(total, 0) + 1
print(stretches)
