# Counts while merging, and only where the right value is smaller: wrong for a negative d.
import sys

data = list(map(int, sys.stdin.read().split()))
n, d = data[:2]
a = data[2:]
falls = 0
width = 1
while width < n:
    for start in range(0, n - width, 2 * width):
        left = a[start : start + width]
        right = a[start + width : start + 2 * width]
        i = 0
        for y in right:
            while i < len(left) and (left[i] <= y or left[i] <= y + d):
                i += 1
            falls += len(left) - i
        a[start : start + 2 * width] = sorted(left + right)
    width *= 2
print(falls)
