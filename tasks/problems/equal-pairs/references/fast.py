import sys
from collections import Counter

data = sys.stdin.read().split()
counts = Counter(data[1:])
print(sum(c * (c - 1) // 2 for c in counts.values()))
