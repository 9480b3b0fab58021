# Trusts the mirror image also where it reaches beyond the known palindrome.
import sys

s = sys.stdin.read().strip()
t = "^#" + "#".join(s) + "#$"
reach = [0] * len(t)
center = right = 0
for i in range(1, len(t) - 1):
    r = reach[2 * center - i] if i < right else 0
    if i + r >= right:
        while i + r + 1 < len(t) and i - r - 1 >= 0 and t[i + r + 1] == t[i - r - 1]:
            r += 1
        center, right = i, i + r
    reach[i] = r
print(sum((r + 1) // 2 for r in reach))
