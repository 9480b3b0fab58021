# A hash of 20 bits: among many texts two different ones share it.
import sys
from itertools import accumulate

s = sys.stdin.read().strip().encode()
n = len(s)
MOD = 1000003
BASE = 131
hashes = list(accumulate(s, lambda h, letter: (h * BASE + letter) % MOD, initial=0))


def repeats(length):
    power = pow(BASE, length, MOD)
    seen = {(b - a * power) % MOD for a, b in zip(hashes, hashes[length:])}
    return len(seen) < n - length + 1


low, high = 0, n - 1
while low < high:
    length = (low + high + 1) // 2
    if repeats(length):
        low = length
    else:
        high = length - 1
print(low)
