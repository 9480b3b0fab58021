# Never takes the mark off the earlier panel of a colour.
import sys

data = list(map(int, sys.stdin.read().split()))
n, q = data[:2]
seen = set()
marks = [0]
for colour in data[2 : n + 2]:
    marks.append(marks[-1] + (colour not in seen))
    seen.add(colour)
print(sum(marks[right] - marks[left - 1] for left, right in zip(data[n + 2 :: 2], data[n + 3 :: 2])))
