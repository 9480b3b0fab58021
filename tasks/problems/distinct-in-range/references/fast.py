import sys

data = list(map(int, sys.stdin.read().split()))
n, q = data[:2]
colours = data[2 : n + 2]
ending = [[] for _ in range(n + 1)]  # left ends of the visitors by right end
for left, right in zip(data[n + 2 :: 2], data[n + 3 :: 2]):
    ending[right].append(left)
# Of each colour only the latest panel up to the right end is marked: in a Fenwick tree.
tree = [0] * (n + 1)
last = {}
total = marked = 0
for i, colour in enumerate(colours, 1):
    k = last.get(colour, 0)
    if k:
        while k <= n:
            tree[k] -= 1
            k += k & -k
    else:
        marked += 1
    last[colour] = k = i
    while k <= n:
        tree[k] += 1
        k += k & -k
    for left in ending[i]:
        total += marked
        k = left - 1
        while k:
            total -= tree[k]
            k &= k - 1
print(total)
