import sys

n, p, *rest = sys.stdin.read().split()


def milli(text):
    whole, _, part = text.partition(".")
    return int(whole) * 1000 + int((part + "000")[:3])


p = milli(p)
parts = [(int(c), milli(q) - p) for c, q in zip(rest[::2], rest[1::2])]
litres = float(sum(c for c, d in parts if d == 0))
low = sorted((-d, c) for c, d in parts if d < 0)
high = sorted((d, c) for c, d in parts if d > 0)
budget = min(sum(d * c for d, c in low), sum(d * c for d, c in high))
for side in (low, high):
    left = budget
    for d, c in side:
        use = min(c, left / d)
        litres += use
        left -= use * d
print(litres)
