# Tries the largest code with all others, and the smallest one.
import sys

a = list(map(int, sys.stdin.read().split()[1:]))
high, low = max(a), min(a)
print(max(max(high ^ x, low ^ x) for x in a))
