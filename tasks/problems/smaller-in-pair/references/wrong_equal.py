# Counts members that are strictly stronger: teams of equals are lost.
import sys
from bisect import bisect_right

data = list(map(int, sys.stdin.read().split()))
skills = sorted(data[1:])
print(sum(s * (len(skills) - bisect_right(skills, s)) for s in skills))
