import sys

h, w, *g = sys.stdin.read().split()
h, w = int(h), int(w)
best = None
for t in range(h):
    for l in range(w):
        for b in range(t, h):
            for r in range(l, w):
                inside = "".join(row[l : r + 1] for row in g[t : b + 1])
                if set("WALDO") <= set(inside):
                    area = (b - t + 1) * (r - l + 1)
                    best = area if best is None else min(best, area)
print("impossible" if best is None else best)
