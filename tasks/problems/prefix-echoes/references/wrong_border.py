# Adds up the longest borders of all prefixes, not all of them.
import sys

s = sys.stdin.read().strip()
n = len(s)
fail = [0] * n
k = 0
for i in range(1, n):
    while k > 0 and s[i] != s[k]:
        k = fail[k - 1]
    if s[i] == s[k]:
        k += 1
    fail[i] = k
print(sum(fail))
