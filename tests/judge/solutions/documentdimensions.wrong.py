import sys
n, *words = sys.stdin.read().split()
total = sum(map(len, words)) + len(words) - 1
print(min(w - (-total // w) for w in range(max(map(len, words)), total + 1)))
