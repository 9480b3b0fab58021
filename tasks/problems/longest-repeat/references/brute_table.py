# Right, but keeps the whole table of common beginnings of two suffixes.
import sys

s = sys.stdin.read().strip()
n = len(s)
common = [[0] * (n + 1) for _ in range(n + 1)]
best = 0
for i in range(n - 1, -1, -1):
    for j in range(n - 1, i, -1):
        if s[i] == s[j]:
            common[i][j] = common[i + 1][j + 1] + 1
            if common[i][j] > best:
                best = common[i][j]
print(best)
