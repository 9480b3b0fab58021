# Takes colours up to the right end minus colours before the left end, plus one for the left end.
import sys

data = list(map(int, sys.stdin.read().split()))
n, q = data[:2]
seen = set()
kinds = [0]
for colour in data[2 : n + 2]:
    seen.add(colour)
    kinds.append(len(seen))
print(sum(max(1, kinds[right] - kinds[left] + 1) for left, right in zip(data[n + 2 :: 2], data[n + 3 :: 2])))
