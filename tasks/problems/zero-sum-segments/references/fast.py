import sys

seen = {0: 1}
total = 0
stretches = 0
for a in map(int, sys.stdin.read().split()[1:]):
    total += a
    before = seen.get(total, 0)
    stretches += before
    seen[total] = before + 1
print(stretches)
