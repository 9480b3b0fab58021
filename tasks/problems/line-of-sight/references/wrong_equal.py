# Looks past people of the same height.
import sys

heights = list(map(int, sys.stdin.read().split()[1:]))
n = len(heights)
waiting = []
total = 0
for i, h in enumerate(heights):
    while waiting and heights[waiting[-1]] < h:
        total += i - waiting.pop()
    waiting.append(i)
total += sum(n - 1 - i for i in waiting)
print(total)
