"""Two cells on the same problems."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from agent.report.metrics.counts import rates
from agent.report.metrics.distributions import binomial_two_sided
from agent.report.metrics.intervals import (
    Estimate,
    bootstrap_means,
    holm,
    mean_p_value,
    percentile_interval,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Comparison:
    """b minus a. `gained`, `lost`: problems solved at least once by b only and by a only."""

    difference: Estimate
    p: float  # cluster-robust paired t test of the mean difference
    gained: int
    lost: int
    mcnemar: float  # exact, two-sided; NaN where the numbers of samples differ
    p_holm: float = math.nan
    mcnemar_holm: float = math.nan


def compare(
    solved_a: Ints, done_a: Ints, solved_b: Ints, done_b: Ints, clusters: Ints, weights: Floats
) -> Comparison | None:
    """Compares per-problem counts (P,); problems that one cell has not attempted are left out.

    `weights`: bootstrap weights (B, P). McNemar's test asks for each problem whether it was solved
    at least once, which is only fair for equal numbers of samples: other problems are left out of
    it. None when the cells share no problem.
    """
    shared = (done_a > 0) & (done_b > 0)
    if not shared.any():
        return None
    difference = rates(solved_b, done_b) - rates(solved_a, done_a)
    value = float(difference[shared].mean())
    drawn = bootstrap_means(weights, np.where(shared, difference, np.nan))
    groups = len(np.unique(clusters[shared]))
    estimate = percentile_interval(value, drawn, groups, int(shared.sum()))
    fair = shared & (done_a == done_b)
    gained = int((fair & (solved_b > 0) & (solved_a == 0)).sum())
    lost = int((fair & (solved_a > 0) & (solved_b == 0)).sum())
    exact = binomial_two_sided(gained, gained + lost) if fair.any() else math.nan
    p = mean_p_value(difference[shared], clusters[shared])
    return Comparison(estimate, p, gained, lost, exact)


def corrected(family: list[Comparison]) -> list[Comparison]:
    """The comparisons with Holm-corrected p values over the whole family."""
    p = holm([c.p for c in family])
    exact = holm([c.mcnemar for c in family])
    return [
        replace(c, p_holm=float(a), mcnemar_holm=float(b))
        for c, a, b in zip(family, p, exact, strict=True)
    ]
