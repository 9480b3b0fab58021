# Counts all stretches of multiples of g, whatever their greatest common divisor.
import sys

data = list(map(int, sys.stdin.read().split()))
n, g = data[:2]
count = run = 0
for x in data[2:]:
    run = run + 1 if x % g == 0 else 0
    count += run
print(count)
