import sys

print(*sys.stdin.read().split()[1:][::2], sep="\n")
