# Compares the sorted positive numbers with 1, 2, 3, … but keeps repeats.
import sys

numbers = sorted(x for x in map(int, sys.stdin.read().split()[1:]) if x > 0)
ticket = 1
for x in numbers:
    if x != ticket:
        break
    ticket += 1
print(ticket)
