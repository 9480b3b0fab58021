import sys

c = sorted(map(int, sys.stdin.read().split()[1:]), reverse=True)
print(sum(x > i for i, x in enumerate(c)))
