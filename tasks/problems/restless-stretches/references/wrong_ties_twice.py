# Equal readings end neither side: a stretch with two equal maxima counts twice.
import sys

a = list(map(int, sys.stdin.read().split()[1:]))
n = len(a)


def sum_of_maxima(a):
    left, right = [-1] * n, [n] * n
    stack = []
    for i in range(n):
        while stack and a[stack[-1]] < a[i]:
            right[stack.pop()] = i
        stack.append(i)
    stack = []
    for i in range(n - 1, -1, -1):
        while stack and a[stack[-1]] < a[i]:
            left[stack.pop()] = i
        stack.append(i)
    return sum(a[i] * (i - left[i]) * (right[i] - i) for i in range(n))


print(sum_of_maxima(a) + sum_of_maxima([-x for x in a]))
