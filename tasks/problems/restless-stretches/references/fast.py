import sys

a = list(map(int, sys.stdin.read().split()[1:]))


def sum_of_maxima(values):
    """Adds the maxima of the stretches that end at each place, kept as a stack of steps."""
    total = ending = 0
    stack = [(-1, float("inf"))]
    for i, x in enumerate(values):
        while stack[-1][1] <= x:
            place, old = stack.pop()
            ending -= old * (place - stack[-1][0])
        ending += x * (i - stack[-1][0])
        stack.append((i, x))
        total += ending
    return total


print(sum_of_maxima(a) + sum_of_maxima([-x for x in a]))
