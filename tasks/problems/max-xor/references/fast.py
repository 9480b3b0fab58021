import sys

codes = set(map(int, sys.stdin.read().split()[1:]))
best = 0
for bit in range(29, -1, -1):
    # can the answer have this bit besides those that it has already?
    best <<= 1
    wanted = best | 1
    prefixes = {code >> bit for code in codes}
    for prefix in prefixes:
        if prefix ^ wanted in prefixes:
            best = wanted
            break
print(best)
