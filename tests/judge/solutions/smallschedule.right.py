q, m, s, l = map(int, input().split())
long = -(-l // m)
free = (long * m - l) * q
print(long * q + max(0, -(-(s - free) // m)))
