# Divides, but compares nothing across the border between the halves.
import sys
from operator import itemgetter

data = list(map(int, sys.stdin.read().split()))
points = sorted(zip(data[1::2], data[2::2]))
by_y = itemgetter(1)
best = 1 << 63  # smallest squared distance so far


def compare(some, reach):
    """Compares each point with the next ones, as long as they are near enough by y."""
    global best
    for i, (x, y) in enumerate(some, 1):
        for other_x, other_y in some[i : i + reach]:
            dy = other_y - y
            dy *= dy
            if dy >= best:
                break
            dy += (other_x - x) ** 2
            if dy < best:
                best = dy


def closest(low, high):
    """Brings the smallest distance within points[low:high] into `best`, and sorts them by y."""
    if high - low <= 3:
        part = sorted(points[low:high], key=by_y)
        compare(part, 12)
    else:
        middle = (low + high) // 2
        closest(low, middle)
        closest(middle, high)
        part = points[low:high]
        part.sort(key=by_y)
    points[low:high] = part


closest(0, len(points))
print(best)
