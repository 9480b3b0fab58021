import sys

data = list(map(int, sys.stdin.buffer.read().split()))
n, m = data[:2]
bridges = [(data[i] - 1, data[i + 1] - 1) for i in range(2, 2 + 2 * m, 2)]
size = data[2 + 2 * m :]
ours = {0}
army = size[0]
while True:
    edge = [b if a in ours else a for a, b in bridges if (a in ours) != (b in ours)]
    best = [v for v in edge if size[v] < army]
    if not best:
        break
    ours.add(best[0])
    army += size[best[0]]
print(army)
