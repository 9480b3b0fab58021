# Takes as many of the best paid jobs as there are days, wherever their deadlines lie.
import sys

data = list(map(int, sys.stdin.read().split()))
print(sum(sorted(data[2::2], reverse=True)[: max(data[1::2])]))
