"""How the time of a program grows with its input."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

_FLOOR_S = 0.02  # start-up and noise hide what is quicker than this


def growth_exponent(sizes: NDArray[np.float64], seconds: NDArray[np.float64]) -> float:
    """Slope of log(time) on log(input bytes) by least squares.

    Only tests of at least 20 ms count; NaN unless three remain over at least a factor 4 in size.
    """
    keep = (seconds >= _FLOOR_S) & (sizes > 0)
    if keep.sum() < 3 or sizes[keep].max() < 4 * sizes[keep].min():
        return math.nan
    x, y = np.log(sizes[keep]), np.log(seconds[keep])
    x = x - x.mean()
    return float((x @ y) / (x @ x))
