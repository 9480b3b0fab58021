"""The few distribution functions that the statistics need (normal, Student's t, binomial)."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

_NORMAL = NormalDist()


def normal_quantile(p: float) -> float:
    return _NORMAL.inv_cdf(p)


def normal_cdf(z: float) -> float:
    return _NORMAL.cdf(z)


def t_cdf(t: float, df: float) -> float:
    """P(T <= t) of Student's t with `df` > 0 degrees of freedom."""
    if math.isinf(df):
        return normal_cdf(t)
    if math.isinf(t):
        return 1.0 if t > 0 else 0.0
    tail = 0.5 * incomplete_beta(df / 2, 0.5, df / (df + t * t))
    return 1 - tail if t > 0 else tail


@lru_cache(maxsize=1024)
def t_quantile(p: float, df: float) -> float:
    """The t with P(T <= t) = p, by bisection; `p` in (0, 1)."""
    if math.isinf(df):
        return normal_quantile(p)
    if p == 0.5:
        return 0.0
    low, high = -1.0, 1.0
    while t_cdf(low, df) > p:
        low *= 2
    while t_cdf(high, df) < p:
        high *= 2
    while high - low > 1e-13 * max(1.0, abs(low)):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if t_cdf(middle, df) < p:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Regularised incomplete beta function I_x(a, b).

    Continued fraction of DLMF 8.17.22, evaluated by the modified Lentz method.
    """
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    fraction = d
    for m in range(1, 1000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 + numerator * d
            d = 1 / (d if abs(d) > tiny else tiny)
            c = 1 + numerator / c
            c = c if abs(c) > tiny else tiny
            fraction *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return front * fraction / a


def binomial_two_sided(successes: int, trials: int) -> float:
    """Exact two-sided p of `successes` in `trials` under probability 1/2 (1.0 for no trials)."""
    if trials == 0:
        return 1.0
    extreme = min(successes, trials - successes)
    tail = sum(math.comb(trials, k) for k in range(extreme + 1))
    return min(1.0, 2 * tail / float(2**trials))


def log_factorials(n: int) -> NDArray[np.float64]:
    """log k! for k = 0 … n."""
    logs = np.zeros(n + 1)
    if n:
        logs[1:] = np.cumsum(np.log(np.arange(1, n + 1)))
    return logs
