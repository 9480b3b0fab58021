# Lets the weaker partner play with himself too.
import sys

data = list(map(int, sys.stdin.read().split()))
n = data[0]
print(sum(s * (n - i) for i, s in enumerate(sorted(data[1:]))))
