# Only looks for tickets up to n: when all of 1..n were recorded it answers n.
import sys

data = list(map(int, sys.stdin.read().split()))
n, recorded = data[0], set(data[1:])
print(next((t for t in range(1, n + 1) if t not in recorded), n))
