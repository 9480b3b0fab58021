# Only palindromes with a letter in the middle.
import sys

s = sys.stdin.read().strip()
n = len(s)
count = [0] * n
left, right = 0, -1
for i in range(n):
    k = 1 if i > right else min(count[left + right - i], right - i + 1)
    while i + k < n and i - k >= 0 and s[i + k] == s[i - k]:
        k += 1
    count[i] = k
    if i + k - 1 > right:
        left, right = i - k + 1, i + k - 1
print(sum(count))
