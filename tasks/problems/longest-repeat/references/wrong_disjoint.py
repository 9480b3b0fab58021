# Finds the second occurrence behind the end of the first one only.
import sys
from itertools import accumulate

s = sys.stdin.read().strip().encode()
n = len(s)
MOD = (1 << 61) - 1
BASE = 911382323 * 972663749 % MOD
hashes = list(accumulate(s, lambda h, letter: (h * BASE + letter) % MOD, initial=0))


def repeats(length):
    power = pow(BASE, length, MOD)
    first = {}
    for i in range(n - length + 1):
        h = (hashes[i + length] - hashes[i] * power) % MOD
        if i - first.setdefault(h, i) >= length:
            return True
    return False


low, high = 0, n // 2
while low < high:
    length = (low + high + 1) // 2
    if repeats(length):
        low = length
    else:
        high = length - 1
print(low)
