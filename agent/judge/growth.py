"""How CPU time grows with input length: the slope of log time on log bytes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from agent.judge.verdict import TestResult, Verdict

NOISE_S = 0.02  # shorter times are mostly the start of the process


@dataclass(frozen=True, slots=True)
class Growth:
    """time ∝ bytes^exponent; `error` is the slope's standard error, over `points` tests."""

    exponent: float
    error: float
    points: int


def growth(tests: Sequence[TestResult]) -> Growth | None:
    """The fitted exponent of CPU seconds over input bytes of tests that passed, or None.

    Ordinary least squares on logarithms. Needs three tests above `NOISE_S` whose inputs span a
    factor of four, after the time of the smallest input (the start-up) is taken off.
    """
    ran = [t for t in tests if t.verdict is Verdict.AC and t.input_bytes > 0]
    if not ran:
        return None
    start = min(t.cpu_s for t in ran)
    points = [
        (math.log(t.input_bytes), math.log(t.cpu_s - start))
        for t in ran
        if t.cpu_s - start > NOISE_S
    ]
    n = len(points)
    if n < 3 or max(points)[0] - min(points)[0] < math.log(4):
        return None
    mean_x = sum(x for x, _ in points) / n
    mean_y = sum(y for _, y in points) / n
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread
    left = sum((y - mean_y - slope * (x - mean_x)) ** 2 for x, y in points)
    return Growth(slope, math.sqrt(left / (n - 2) / spread), n)
