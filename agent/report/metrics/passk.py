"""pass@k: the chance that at least one of k samples solves a problem."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agent.report.metrics.distributions import log_factorials

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def pass_at_k(n: Ints, c: Ints, k: int) -> Floats:
    """Unbiased pass@k = 1 - C(n-c, k) / C(n, k) for each entry; NaN where n < k.

    `n`: samples drawn, `c`: samples that solve, any equal shapes. Source: Chen et al. 2021,
    "Evaluating Large Language Models Trained on Code", eq. 1.
    """
    result: Floats = 1 - np.exp(log_miss(n, c, k))
    return np.where(n >= k, result, np.nan)


def log_miss(n: Ints, c: Ints, k: int) -> Floats:
    """log of C(n-c, k) / C(n, k): k samples drawn without replacement all fail.

    -inf where n - c < k <= n (some sample must solve) and where n < k (callers mask those).
    """
    if k == 0:
        return np.zeros(np.broadcast_shapes(np.shape(n), np.shape(c)))
    logs = log_factorials(int(np.max(n, initial=0)))
    fails = n - c
    possible = (fails >= k) & (n >= k)
    f, m = np.where(possible, fails, k), np.where(possible, n, k)
    size = len(logs) - 1
    f, m = np.minimum(f, size), np.minimum(m, size)
    value = logs[f] - logs[np.maximum(f - k, 0)] - logs[m] + logs[np.maximum(m - k, 0)]
    value = np.where(fails == n, 0.0, value)  # exactly, not up to rounding
    return np.where(possible, value, -np.inf)


def log_grid(limit: int, *, per_decade: tuple[int, ...] = (1, 2, 5)) -> list[int]:
    """1, 2, 5, 10, … below `limit`, and `limit` itself; empty when limit < 1."""
    grid, scale = [], 1
    while scale <= limit:
        grid += [m * scale for m in per_decade if m * scale <= limit]
        scale *= 10
    if limit >= 1 and limit not in grid:
        grid.append(limit)
    return sorted(grid)
