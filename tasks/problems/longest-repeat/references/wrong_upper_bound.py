# Searches up to half of the string, though occurrences may overlap.
import sys
from itertools import accumulate

s = sys.stdin.read().strip().encode()
n = len(s)
MOD = (1 << 61) - 1
BASE = 911382323 * 972663749 % MOD
hashes = list(accumulate(s, lambda h, letter: (h * BASE + letter) % MOD, initial=0))


def repeats(length):
    power = pow(BASE, length, MOD)
    seen = {(b - a * power) % MOD for a, b in zip(hashes, hashes[length:])}
    return len(seen) < n - length + 1


low, high = 0, n // 2
while low < high:
    length = (low + high + 1) // 2
    if repeats(length):
        low = length
    else:
        high = length - 1
print(low)
