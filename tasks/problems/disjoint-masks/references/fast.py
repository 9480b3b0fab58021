import sys

masks = list(map(int, sys.stdin.read().split()[1:]))
FULL = (1 << 17) - 1
count = [0] * (FULL + 1)
for mask in masks:
    count[mask] += 1
# inside[m]: pizzas whose toppings all lie in m; one bit after the other joins in, block by block
inside = count[:]
for bit in range(17):
    half = 1 << bit
    for start in range(half, FULL + 1, 2 * half):
        end = start + half
        inside[start:end] = map(int.__add__, inside[start:end], inside[start - half : start])
ordered = sum(times * inside[FULL ^ mask] for mask, times in enumerate(count) if times)
# only a pizza without toppings has nothing in common with itself
print((ordered - count[0]) // 2)
