import sys

data = list(map(int, sys.stdin.read().split()))
boxes = sorted(zip(data[1::2], data[2::2]))
chain = []
for i, (width, depth) in enumerate(boxes):
    best = 1
    for j in range(i):
        if boxes[j][0] < width and boxes[j][1] < depth and chain[j] >= best:
            best = chain[j] + 1
    chain.append(best)
print(max(chain))
