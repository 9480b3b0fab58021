n, p, d = map(int, input().split())
s = input()
print(sum(s[max(0, i - p + 1) : i + 1].count("Z") < d for i in range(n)))
