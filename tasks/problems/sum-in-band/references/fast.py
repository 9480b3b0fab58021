import sys
from itertools import accumulate

data = list(map(int, sys.stdin.read().split()))
n, low, high = data[:3]
p = [0, *accumulate(data[3:])]
n += 1
count = 0
WIDTH = 8
for start in range(0, n, WIDTH):
    block = p[start : start + WIDTH]
    for j in range(1, len(block)):
        smallest, largest = block[j] - high, block[j] - low
        for x in block[:j]:
            if smallest <= x <= largest:
                count += 1
    p[start : start + WIDTH] = sorted(block)
width = WIDTH
while width < n:
    for start in range(0, n - width, 2 * width):
        left = p[start : start + width]
        right = p[start + width : start + 2 * width]
        # for rising right sums, the left sums that fit form a window that moves to the right
        left.append(1 << 60)
        i = k = 0
        for y in right:
            bound = y - high
            while left[i] < bound:
                i += 1
            bound = y - low
            while left[k] <= bound:
                k += 1
            count += k - i
        left.pop()
        left += right
        left.sort()
        p[start : start + 2 * width] = left
    width *= 2
print(count)
