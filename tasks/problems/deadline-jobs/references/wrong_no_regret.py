# Takes the best paid job of each deadline in turn and never gives one up.
import sys

data = list(map(int, sys.stdin.read().split()))
total = day = 0
for deadline, negative in sorted(zip(data[1::2], (-p for p in data[2::2]))):
    if day < deadline:
        day += 1
        total -= negative
print(total)
