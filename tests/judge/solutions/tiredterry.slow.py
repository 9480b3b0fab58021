n, p, d = map(int, input().split())
s = input()
tired = 0
for i in range(n):
    asleep = 0
    for j in range(i - p + 1, i + 1):
        asleep += s[j] == "Z"
    tired += asleep < d
print(tired)
