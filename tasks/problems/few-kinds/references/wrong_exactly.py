# Counts only the runs that hold exactly k kinds by taking the difference of two counts.
import sys

data = sys.stdin.read().split()
n, k = int(data[0]), int(data[1])
flowers = data[2:]


def at_most(limit):
    if limit < 0:
        return 0
    count = {}
    start = runs = 0
    for i, kind in enumerate(flowers):
        count[kind] = count.get(kind, 0) + 1
        while len(count) > limit:
            old = flowers[start]
            count[old] -= 1
            if count[old] == 0:
                del count[old]
            start += 1
        runs += i - start + 1
    return runs


print(at_most(k) - at_most(k - 1))
