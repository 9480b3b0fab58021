# Answers the visitors of a right end before its panel is marked.
import sys

data = list(map(int, sys.stdin.read().split()))
n, q = data[:2]
ending = [[] for _ in range(n + 1)]
for left, right in zip(data[n + 2 :: 2], data[n + 3 :: 2]):
    ending[right].append(left)
tree = [0] * (n + 1)
last = {}
total = 0


def add(k, change):
    while k <= n:
        tree[k] += change
        k += k & -k


def up_to(k):
    result = 0
    while k:
        result += tree[k]
        k &= k - 1
    return result


for i, colour in enumerate(data[2 : n + 2], 1):
    if colour in last:
        add(last[colour], -1)
    for left in ending[i]:
        total += up_to(i) - up_to(left - 1)
    add(i, 1)
    last[colour] = i
print(total)
