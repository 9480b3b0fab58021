import sys

h, w, *g = sys.stdin.read().split()
print(int(h) * int(w) if set("WALDO") <= set("".join(g)) else "impossible")
