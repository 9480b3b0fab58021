# Forgets that a pizza without toppings was paired with itself.
import sys

masks = list(map(int, sys.stdin.read().split()[1:]))
FULL = (1 << 17) - 1
count = [0] * (FULL + 1)
for mask in masks:
    count[mask] += 1
inside = count[:]
for bit in range(17):
    half = 1 << bit
    for start in range(half, FULL + 1, 2 * half):
        end = start + half
        inside[start:end] = map(int.__add__, inside[start:end], inside[start - half : start])
print(sum(times * inside[FULL ^ mask] for mask, times in enumerate(count) if times) // 2)
