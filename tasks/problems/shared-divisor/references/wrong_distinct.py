# Planks of the same length count once.
import sys

data = list(map(int, sys.stdin.read().split()))
n, k = data[:2]
top = max(data[2:])
present = bytearray(top + 1)
for length in data[2:]:
    present[length] = 1
g = top
while g > 1 and sum(present[g::g]) < k:
    g -= 1
print(g)
