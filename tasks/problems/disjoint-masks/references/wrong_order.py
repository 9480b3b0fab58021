# Adds all subsets at once instead of one bit after the other: some are added several times.
import sys

masks = list(map(int, sys.stdin.read().split()[1:]))
FULL = (1 << 17) - 1
count = [0] * (FULL + 1)
for mask in masks:
    count[mask] += 1
top = max(masks).bit_length()
inside = count[:]
for mask in range(1 << top):
    total = count[mask]
    rest = mask
    while rest:
        low = rest & -rest
        total += inside[mask ^ low]
        rest ^= low
    inside[mask] = total
low_full = (1 << top) - 1
ordered = sum(times * inside[low_full ^ mask] for mask, times in enumerate(count) if times)
print((ordered - count[0]) // 2)
