import sys

s = sys.stdin.read().strip()
t = "^#" + "#".join(s) + "#$"
reach = [0] * len(t)
center = right = 0
total = 0
for i in range(1, len(t) - 1):
    r = 0
    if i < right:
        r = reach[2 * center - i]
        if r < right - i:
            reach[i] = r
            total += (r + 1) // 2
            continue
        r = right - i
    while t[i + r + 1] == t[i - r - 1]:
        r += 1
    reach[i] = r
    center, right = i, i + r
    total += (r + 1) // 2
print(total)
