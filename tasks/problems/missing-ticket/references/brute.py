import sys

recorded = list(map(int, sys.stdin.read().split()[1:]))
ticket = 1
while ticket in recorded:
    ticket += 1
print(ticket)
