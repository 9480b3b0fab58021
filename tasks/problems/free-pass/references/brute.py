import sys

data = list(map(int, sys.stdin.read().split()))
n, m = data[:2]
roads = list(zip(data[2::3], data[3::3], data[4::3]))
FAR = 1 << 60
full = [FAR] * (n + 1)  # the voucher is left
used = [FAR] * (n + 1)
full[1] = used[1] = 0
changed = True
while changed:
    changed = False
    for x, y, c in roads:
        for a, b in ((x, y), (y, x)):
            if full[a] + c < full[b]:
                full[b] = full[a] + c
                changed = True
            if min(full[a], used[a] + c) < used[b]:
                used[b] = min(full[a], used[a] + c)
                changed = True
best = min(full[n], used[n])
print(best if best < FAR else -1)
