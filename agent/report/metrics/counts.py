"""From attempts to counts per cell and problem: what nearly every statistic starts from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def tally(index: tuple[NDArray[np.integer], ...], shape: tuple[int, ...]) -> Ints:
    """How often each combination of codes occurs; rows with a negative code are left out."""
    valid = np.ones(len(index[0]), dtype=bool)
    for column in index:
        valid &= column >= 0
    flat = np.ravel_multi_index(tuple(column[valid].astype(np.int64) for column in index), shape)
    return np.bincount(flat, minlength=int(np.prod(shape))).reshape(shape)


def totals(
    index: tuple[NDArray[np.integer], ...], values: NDArray[np.number], shape: tuple[int, ...]
) -> Floats:
    """Sum of `values` for each combination of codes."""
    flat = np.ravel_multi_index(tuple(column.astype(np.int64) for column in index), shape)
    size = int(np.prod(shape))
    sums = np.bincount(flat, weights=values.astype(np.float64), minlength=size)
    return sums.astype(np.float64).reshape(shape)


def rates(part: NDArray[np.number], whole: NDArray[np.number]) -> Floats:
    """`part / whole`; NaN where nothing was counted."""
    top, bottom = part.astype(np.float64), whole.astype(np.float64)
    shares: Floats = np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom > 0)
    return shares


def missing_bounds(part: int, done: int, planned: int) -> tuple[float, float]:
    """Rate if every missing attempt were not, or were, of this kind."""
    if planned == 0:
        return np.nan, np.nan
    return part / planned, (part + planned - done) / planned
