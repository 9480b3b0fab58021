# Right, but with a table of all pairs of positions.
import sys

s = sys.stdin.read().strip()
n = len(s)
table = [[False] * n for _ in range(n)]
total = 0
for i in range(n - 1, -1, -1):
    for j in range(i, n):
        if s[i] == s[j] and (j - i < 2 or table[i + 1][j - 1]):
            table[i][j] = True
            total += 1
print(total)
