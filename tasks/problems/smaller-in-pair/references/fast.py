import sys

data = list(map(int, sys.stdin.read().split()))
n = data[0]
skills = sorted(data[1:])
# The i-th smallest is the weaker partner of everyone after it.
print(sum(s * (n - 1 - i) for i, s in enumerate(skills)))
