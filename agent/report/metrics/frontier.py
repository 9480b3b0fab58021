"""The curve (optimization failures, correctness failures) along alpha, and what shape it has."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agent.report.metrics.distributions import t_quantile
from agent.report.metrics.intervals import (
    Estimate,
    bootstrap_means,
    cluster_variance,
    percentile_interval,
)

Floats = NDArray[np.float64]


def kendall_tau(x: Floats, y: Floats) -> Floats:
    """Kendall's tau-b of `x` (A,) with each row of `y` (…, A); NaN where y is constant."""
    first, second = np.triu_indices(len(x), 1)
    dx = np.sign(x[second] - x[first])
    dy = np.sign(y[..., second] - y[..., first])
    ties = np.sqrt((dx != 0).sum() * (dy != 0).sum(axis=-1).astype(float))
    with np.errstate(invalid="ignore", divide="ignore"):
        tau: Floats = (dx * dy).sum(axis=-1) / ties
    return tau


def slope(x: Floats, y: Floats) -> Floats:
    """Least-squares slope of each row of `y` (…, A) on `x` (A,)."""
    centred = x - x.mean()
    result: Floats = (y * centred).sum(axis=-1) / (centred @ centred)
    return result


@dataclass(frozen=True, slots=True)
class Trend:
    """How one rate moves along alpha."""

    tau: Estimate
    slope: Estimate  # change of the rate per unit of alpha
    step_up: Estimate  # largest rise between neighbouring alphas
    step_down: Estimate  # largest fall (negative) between neighbouring alphas


def trend(alpha: Floats, values: Floats, weights: Floats, groups: int) -> Trend:
    """Trend of per-problem rates `values` (A, P) under bootstrap `weights` (B, P)."""
    point = np.nanmean(values, axis=1)
    drawn = bootstrap_means(weights, values)
    problems = values.shape[1]

    def over(value: Floats, replicates: Floats) -> Estimate:
        return percentile_interval(float(value), replicates, groups, problems)

    steps, drawn_steps = np.diff(point), np.diff(drawn, axis=1)
    return Trend(
        over(kendall_tau(alpha, point), kendall_tau(alpha, drawn)),
        over(slope(alpha, point), slope(alpha, drawn)),
        over(steps.max(), drawn_steps.max(axis=1)),
        over(steps.min(), drawn_steps.min(axis=1)),
    )


@dataclass(frozen=True, slots=True)
class Position:
    """Where the point of one alpha lies relative to the segment between alpha 0 and alpha 1."""

    alpha: float
    along: Estimate  # projection on the segment: 0 at alpha 0, 1 at alpha 1
    below: Estimate  # distance from its line towards the origin (fewer failures); rate units
    verdict: str


def positions(
    alpha: Floats,
    optimization: Floats,
    correctness: Floats,
    weights: Floats,
    groups: int,
    margin: float = 0.05,
) -> list[Position]:
    """Every alpha but 0 and 1 against the segment between them; [] unless both exist.

    `optimization`, `correctness`: per-problem rates (A, P). A point is "on" the line only when the
    whole interval of its distance is within `margin` (a rate): that 0 is in it shows nothing. An
    extrapolated one is "beyond" when the interval of its projection lies outside [0, 1].
    """
    if not (np.any(alpha == 0) and np.any(alpha == 1)):
        return []
    a, b = int(np.flatnonzero(alpha == 0)[0]), int(np.flatnonzero(alpha == 1)[0])
    point = np.stack([np.nanmean(optimization, axis=1), np.nanmean(correctness, axis=1)], axis=-1)
    drawn = np.stack(
        [bootstrap_means(weights, optimization), bootstrap_means(weights, correctness)], axis=-1
    )
    along, below = _project(point[None], a, b)
    along_b, below_b = _project(drawn, a, b)
    problems = optimization.shape[1]
    found = []
    for i, value in enumerate(alpha):
        if i in (a, b):
            continue
        t = percentile_interval(float(along[0, i]), along_b[:, i], groups, problems)
        d = percentile_interval(float(below[0, i]), below_b[:, i], groups, problems)
        found.append(Position(float(value), t, d, _verdict(float(value), t, d, margin)))
    return found


def _project(points: Floats, a: int, b: int) -> tuple[Floats, Floats]:
    """Projection and signed distance of points (B, A, 2) to the line through points a and b."""
    start = points[:, a : a + 1]
    direction = points[:, b : b + 1] - start
    length = np.sqrt((direction**2).sum(axis=-1))
    offset = points - start
    with np.errstate(invalid="ignore", divide="ignore"):
        along = (offset * direction).sum(axis=-1) / length**2
        cross = direction[..., 0] * offset[..., 1] - direction[..., 1] * offset[..., 0]
        distance = cross / length
    # The side of the origin: there the distance counts as positive (fewer failures of both kinds).
    side = np.sign(-direction[..., 0] * start[..., 1] + direction[..., 1] * start[..., 0])
    return along, distance * side


def _verdict(alpha: float, along: Estimate, below: Estimate, margin: float) -> str:
    if not along.known or not below.known:
        return "undecided"
    side = (
        "better than" if below.low > 0
        else "worse than" if below.high < 0
        else "on" if max(-below.low, below.high) < margin
        else "not shown to be off"
    )  # fmt: skip
    if 0 < alpha < 1:
        return f"{side} the segment"
    if not (along.high < 0 if alpha < 0 else along.low > 1):
        return "not shown to be beyond the endpoint"
    return f"beyond the endpoint, {side} the line"


@dataclass(frozen=True, slots=True)
class Flatness:
    """Whether the solve rate is the same at every alpha, within a margin."""

    margin: float
    flat: bool  # every pair equivalent: two one-sided tests at 5 %
    differs: bool  # some pair differs by more than the margin: simultaneous 95 %
    widest: Estimate  # the pair that is furthest apart (90 % interval, as the tests use)
    pair: tuple[float, float]


def flatness(
    alpha: Floats, solved: Floats, clusters: NDArray[np.int64], margin: float
) -> Flatness | None:
    """Equivalence of all pairs of alphas by two one-sided t tests (Schuirmann 1987).

    `solved`: per-problem solve rates (A, P), differences paired by problem. Claiming equivalence
    of all pairs needs no correction (intersection-union test); claiming a difference uses
    Bonferroni over the pairs. None when there is nothing to compare.
    """
    pairs = [(i, j) for i in range(len(alpha)) for j in range(i + 1, len(alpha))]
    flat, differs = True, False
    widest: tuple[float, Estimate, tuple[float, float]] | None = None
    for i, j in pairs:
        difference = solved[j] - solved[i]
        known = ~np.isnan(difference)
        if not known.any():
            return None
        variance, groups = cluster_variance(difference[known], clusters[known])
        if groups < 2:
            return None
        mean, error = float(difference[known].mean()), math.sqrt(variance)
        half = t_quantile(0.95, groups - 1) * error
        reach = abs(mean) + half
        flat = flat and reach < margin
        strict = t_quantile(1 - 0.025 / len(pairs), groups - 1) * error
        differs = differs or abs(mean) - strict > margin
        if widest is None or reach > widest[0]:
            estimate = Estimate(mean, mean - half, mean + half, int(known.sum()))
            widest = reach, estimate, (float(alpha[i]), float(alpha[j]))
    if widest is None:
        return None
    return Flatness(margin, flat, differs, widest[1], widest[2])
