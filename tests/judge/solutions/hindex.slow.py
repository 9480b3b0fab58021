import sys

c = list(map(int, sys.stdin.read().split()[1:]))
h = 0
while sum(x > h for x in c) > h:
    h += 1
print(h)
