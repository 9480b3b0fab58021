# Takes every box that fits around the chain so far, by rising area.
import sys

data = list(map(int, sys.stdin.read().split()))
boxes = sorted(zip(data[1::2], data[2::2]), key=lambda box: box[0] * box[1])
count, width, depth = 0, 0, 0
for w, d in boxes:
    if w > width and d > depth:
        count, width, depth = count + 1, w, d
print(count)
