import sys

words = sys.stdin.read().split()[1:]


def main():
    base, mod = 1_000_003, (1 << 61) - 1
    top = max(map(len, words))
    powers = [1]
    for _ in range(top):
        powers.append(powers[-1] * base % mod)
    hashes = set()
    for w in words:
        h = 0
        for c in w.encode():
            h = (h * base + c) % mod
        hashes.add(h)
    out = []
    for w in words:
        b = w.encode()
        n = len(b)
        suffix = [0] * (n + 1)
        for i in range(n - 1, -1, -1):
            suffix[i] = (b[i] * powers[n - 1 - i] + suffix[i + 1]) % mod
        prefix = 0
        for i in range(n):
            if (prefix * powers[n - 1 - i] + suffix[i + 1]) % mod in hashes:
                out.append(w)
                break
            prefix = (prefix * base + b[i]) % mod
    print("\n".join(out) if out else "NO TYPOS")


main()
