q, m, s, l = map(int, input().split())
print(-(-(l * q + s) // m))
