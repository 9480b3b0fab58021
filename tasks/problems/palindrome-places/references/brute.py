import sys

s = sys.stdin.read().strip()
n = len(s)
total = 0
for middle in range(2 * n - 1):
    i, j = middle // 2, (middle + 1) // 2
    while i >= 0 and j < n and s[i] == s[j]:
        total += 1
        i -= 1
        j += 1
print(total)
