import sys

words = sys.stdin.read().split()[1:]


def near(a, b):
    return len(a) == len(b) + 1 and any(a[:i] + a[i + 1 :] == b for i in range(len(a)))


out = [w for w in words if any(near(w, v) for v in words)]
print("\n".join(out) if out else "NO TYPOS")
