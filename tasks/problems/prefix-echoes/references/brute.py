import sys

s = sys.stdin.read().strip()
n = len(s)
total = 0
for i in range(1, n):
    e = 0
    while i + e < n and s[e] == s[i + e]:
        e += 1
    total += e
print(total)
