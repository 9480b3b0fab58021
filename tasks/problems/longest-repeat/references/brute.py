import sys

s = sys.stdin.read().strip()
n = len(s)
best = 0
for shift in range(1, n):
    run = 0
    for i in range(n - shift):
        if s[i] == s[i + shift]:
            run += 1
            if run > best:
                best = run
        else:
            run = 0
print(best)
