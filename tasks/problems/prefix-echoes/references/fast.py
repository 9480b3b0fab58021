import sys

s = sys.stdin.read().strip()
n = len(s)
echo = [0] * n
left = right = 0  # s[left:right] equals s[:right - left]; the match that ends furthest right
for i in range(1, n):
    e = 0
    if i < right:
        e = echo[i - left]
        if e < right - i:
            echo[i] = e
            continue
        e = right - i
    while i + e < n and s[e] == s[i + e]:
        e += 1
    echo[i] = e
    left, right = i, i + e
print(sum(echo))
