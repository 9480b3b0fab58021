# Shrinks from the left while the sum is too large, as if no number were negative.
import sys

data = list(map(int, sys.stdin.read().split()))
n, low, high = data[:3]
a = data[3:]


def at_most(bound):
    total = start = count = 0
    for i, x in enumerate(a):
        total += x
        while start <= i and total > bound:
            total -= a[start]
            start += 1
        count += i - start + 1
    return count


print(at_most(high) - at_most(low - 1))
