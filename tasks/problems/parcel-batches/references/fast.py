import sys
from itertools import accumulate

data = list(map(int, sys.stdin.read().split()))
n, c = data[:2]
# cost(j) = c + p(j)^2 + min over i < j of (cost(i) + p(i)^2) - 2 p(i) p(j): lines over p(j).
slopes, values = [0], [0]  # lower hull: p(i), and cost(i) + p(i)^2
first = 0
cost = 0
for p in accumulate(data[2:]):
    x = 2 * p
    while first + 1 < len(slopes) and values[first + 1] - slopes[first + 1] * x <= (
        values[first] - slopes[first] * x
    ):
        first += 1
    cost = c + p * p + values[first] - slopes[first] * x
    value = cost + p * p
    if slopes[-1] == p:
        if value >= values[-1]:
            continue
        slopes.pop()
        values.pop()
    while len(slopes) - first >= 2 and (value - values[-1]) * (slopes[-1] - slopes[-2]) <= (
        values[-1] - values[-2]
    ) * (p - slopes[-1]):
        slopes.pop()
        values.pop()
    slopes.append(p)
    values.append(value)
    first = min(first, len(slopes) - 1)
print(cost)
