import sys

print(*sys.stdin.read().split()[2:][::2], sep="\n")
