# Sorts and counts equal neighbours: three equal values give two, not three.
import sys

data = list(map(int, sys.stdin.read().split()))
a = sorted(data[1:])
print(sum(a[i] == a[i - 1] for i in range(1, len(a))))
