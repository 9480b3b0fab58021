import sys

words = sys.stdin.read().split()[1:]
known = set(words)
out = [w for w in words if w[:-1] in known]
print("\n".join(out) if out else "NO TYPOS")
