"""Which problems are solved by whom alone, and how far two solved sets overlap."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]


def solved_only_by(solved: Bools) -> NDArray[np.int64]:
    """`solved` (J, P): how many problems each member solves and no other one does (J,)."""
    alone = solved.sum(axis=0) == 1
    counts: NDArray[np.int64] = (solved & alone).sum(axis=1)
    return counts


def overlap(solved: Bools) -> NDArray[np.float64]:
    """Jaccard overlap of the solved sets (J, J): both / either; NaN where neither solves any."""
    together = solved.astype(np.float64) @ solved.T.astype(np.float64)
    own = np.diag(together)
    either = own[:, None] + own[None, :] - together
    empty: NDArray[np.float64] = np.full(either.shape, np.nan)
    np.divide(together, either, out=empty, where=either > 0)
    return empty


def peak(rates: NDArray[np.float64], position: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where along `position` (J,) each problem's `rates` (J, P) have their centre; inf if zero."""
    mass = np.nan_to_num(rates)
    total = mass.sum(axis=0)
    centre = (mass * position[:, None]).sum(axis=0)
    found: NDArray[np.float64] = np.full(total.shape, np.inf)
    np.divide(centre, total, out=found, where=total > 0)
    return found
