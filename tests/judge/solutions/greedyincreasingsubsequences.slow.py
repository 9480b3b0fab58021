import sys

a = list(map(int, sys.stdin.buffer.read().split()))[1:]
rows = []
for x in a:
    for row in rows:
        if row[-1] < x:
            row.append(x)
            break
    else:
        rows.append([x])
print(len(rows))
for row in rows:
    print(*row)
