import sys

data = list(map(int, sys.stdin.read().split()))
n, m = data[:2]
near = [[] for _ in range(n + 1)]
largest = 1
total = 0
for a, b in zip(data[2::2], data[3::2]):
    near[a].append(b)
    near[b].append(a)
    # walk through the group of the new bridge
    seen = {a}
    todo = [a]
    while todo:
        for island in near[todo.pop()]:
            if island not in seen:
                seen.add(island)
                todo.append(island)
    largest = max(largest, len(seen))
    total += largest
print(total)
