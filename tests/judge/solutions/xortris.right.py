import sys
m, n, *g = sys.stdin.read().split()
m, n = int(m), int(n)
cells = [c == "X" for row in g for c in row]
if m == 1 or n == 1:
    for i in range(len(cells) - 3):
        if cells[i]:
            for j in range(i, i + 4):
                cells[j] = not cells[j]
    good = not any(cells)
elif m == n == 2:
    good = len(set(cells)) == 1
else:
    good = sum(cells) % 2 == 0
print("possible" if good else "impossible")
