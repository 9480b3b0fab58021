import sys
n, *words = sys.stdin.read().split()
lengths = list(map(len, words))
best = None
for width in range(max(lengths), sum(lengths) + len(lengths)):
    height, used = 1, -1
    for length in lengths:
        if used + 1 + length <= width:
            used += 1 + length
        else:
            height, used = height + 1, length
    best = width + height if best is None else min(best, width + height)
print(best)
