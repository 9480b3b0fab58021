import sys
print("impossible" if sys.stdin.read().count("X") % 2 else "possible")
