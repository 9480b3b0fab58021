n, p, d = map(int, input().split())
s = input()
asleep = sum(s[i - n] == "Z" for i in range(n - p, n))
tired = 0
for i in range(n):
    asleep += (s[i] == "Z") - (s[i - p] == "Z")
    tired += asleep < d
print(tired)
