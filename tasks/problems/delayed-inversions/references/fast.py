import sys

data = list(map(int, sys.stdin.read().split()))
n, d = data[:2]
a = data[2:]
falls = 0
WIDTH = 16
for start in range(0, n, WIDTH):
    block = a[start : start + WIDTH]
    for j in range(1, len(block)):
        bound = block[j] + d
        for x in block[:j]:
            if x > bound:
                falls += 1
    a[start : start + WIDTH] = sorted(block)
width = WIDTH
while width < n:
    for start in range(0, n - width, 2 * width):
        left = a[start : start + width]
        right = a[start + width : start + 2 * width]
        # for rising right values, ever fewer of the left ones are greater by more than d
        i, size = 0, len(left)
        left.append(1 << 60)
        for y in right:
            y += d
            while left[i] <= y:
                i += 1
            falls += size - i
        left.pop()
        left += right
        left.sort()
        a[start : start + 2 * width] = left
    width *= 2
print(falls)
