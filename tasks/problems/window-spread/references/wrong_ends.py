# Grows a window while it is calm and, when it is not, forgets everything before.
import sys

data = list(map(int, sys.stdin.read().split()))
n, k, d = data[:3]
a = data[3:]
calm = 0
start = 0
low = high = a[0]
for i, x in enumerate(a):
    low, high = min(low, x), max(high, x)
    if high - low > d:
        start, low, high = i, x, x
    if i - start + 1 >= k:
        calm += 1
print(calm)
