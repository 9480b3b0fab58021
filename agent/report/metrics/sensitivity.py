"""How the failure split moves under other readings of the same judgements."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agent.report.read import CORRECTNESS, OPTIMIZATION, SOLVED, VERDICTS

Codes = NDArray[np.int8]
_ILE = VERDICTS.index("ILE")
_TLE = VERDICTS.index("TLE")


def any_wrong(outcome: Codes, attribution: Codes) -> Codes:
    """Attribution `any_wrong` where it is known, else `first`."""
    return np.where(attribution >= 0, attribution, outcome).astype(np.int8)


def idle_as_slow(outcome: Codes, verdict: Codes) -> Codes:
    """Idle programs counted as optimization failures."""
    return np.where(verdict == _ILE, OPTIMIZATION, outcome).astype(np.int8)


def shorter_limit(outcome: Codes, max_time_ratio: NDArray[np.float64], factor: float) -> Codes:
    """Outcomes under `factor` <= 1 times the time limit.

    Tests run in order of input length and stop at the first failure, so a test that passed in more
    than `factor` of the limit becomes the new first failure, a TLE. Exact for solved attempts; for
    failed ones of a judging that ran all tests it is an upper bound, because the slow test may
    come after the failing one.
    """
    slow = np.nan_to_num(max_time_ratio, nan=0.0) > factor
    judged = (outcome == SOLVED) | (outcome == CORRECTNESS)
    return np.where(slow & judged, OPTIMIZATION, outcome).astype(np.int8)


def longer_limit(
    outcome: Codes, verdict: Codes, ratio: NDArray[np.float64], factor: float
) -> Codes:
    """The most that `factor` >= 1 times the time limit could change: late programs then solve.

    `ratio`: the least CPU time that the late test is known to need, over the limit. One that needs
    more than `factor` stays a TLE; one that ended earlier may be right or wrong then, which nobody
    has seen. The least that could change is that none of them solves.
    """
    may = (verdict == _TLE) & (ratio <= factor)
    return np.where(may, SOLVED, outcome).astype(np.int8)
