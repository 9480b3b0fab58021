"""Intervals that respect clustering: problems (or clusters of them) are the sampling unit.

Samples of one problem share its difficulty, so they are not independent; resampling or counting
them one by one would give intervals that are far too narrow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agent.report.metrics.distributions import normal_cdf, normal_quantile, t_cdf, t_quantile

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its interval; NaN where undefined, and then `reason` says why."""

    value: float
    low: float = math.nan
    high: float = math.nan
    n: int = 0  # problems behind it
    reason: str = ""

    @property
    def known(self) -> bool:
        """Whether there is an interval to draw conclusions from."""
        return not (math.isnan(self.low) or math.isnan(self.high))

    def excludes(self, value: float) -> bool:
        return self.known and not self.low <= value <= self.high


UNDEFINED = Estimate(math.nan, reason="no data")
ONE_CLUSTER = "one problem (or cluster): no interval over problems"


def cluster_variance(values: Floats, clusters: NDArray[np.int64]) -> tuple[float, int]:
    """Variance of the mean of `values` (P,) when whole clusters are drawn; and their number G.

    Linearised (ultimate-cluster) estimator G/(G-1) * sum_g (sum_{i in g} (y_i - mean))^2 / P^2;
    NaN for G < 2.
    """
    sums = np.bincount(np.unique(clusters, return_inverse=True)[1], values - values.mean())
    groups = len(sums)
    if groups < 2:
        return math.nan, groups
    return float(groups / (groups - 1) * (sums @ sums) / len(values) ** 2), groups


def rate_interval(
    rates: Floats, clusters: NDArray[np.int64], n: int, *, level: float = 0.95
) -> Estimate:
    """Mean of per-problem rates (P,), each in [0, 1], NaN where a problem has none.

    Wilson's interval on the effective sample size p(1-p)/V with V the cluster variance, reduced
    for the few degrees of freedom (Korn & Graubard 1998; Franco et al. 2019). `n`: attempts in
    all, an upper bound of the effective size. When all problems agree, V says nothing and the
    number of clusters is taken.
    """
    known = ~np.isnan(rates)
    rates, clusters = rates[known], clusters[known]
    if len(rates) == 0:
        return UNDEFINED
    mean = float(rates.mean())
    variance, groups = cluster_variance(rates, clusters)
    if groups < 2:
        return Estimate(mean, n=len(rates), reason=ONE_CLUSTER)
    tail = (1 + level) / 2
    z = normal_quantile(tail)
    if variance > 0 and 0 < mean < 1:
        size = mean * (1 - mean) / variance * (z / t_quantile(tail, groups - 1)) ** 2
    else:
        size = float(groups)
    size = min(size, float(n))
    low, high = wilson(mean, size, z)
    return Estimate(mean, low, high, len(rates))


def wilson(p: float, n: float, z: float) -> tuple[float, float]:
    """Wilson's score interval of a proportion with `n` (effective) trials."""
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, centre - half), min(1.0, centre + half)


def mean_interval(values: Floats, clusters: NDArray[np.int64], *, level: float = 0.95) -> Estimate:
    """Mean of per-problem values (P,) with a cluster-robust t interval."""
    known = ~np.isnan(values)
    values, clusters = values[known], clusters[known]
    if len(values) == 0:
        return UNDEFINED
    mean = float(values.mean())
    variance, groups = cluster_variance(values, clusters)
    if groups < 2:
        return Estimate(mean, n=len(values), reason=ONE_CLUSTER)
    half = t_quantile((1 + level) / 2, groups - 1) * math.sqrt(variance)
    return Estimate(mean, mean - half, mean + half, len(values))


def mean_p_value(values: Floats, clusters: NDArray[np.int64]) -> float:
    """Two-sided p of "the mean is 0", cluster-robust t; NaN for fewer than two clusters."""
    variance, groups = cluster_variance(values, clusters)
    if groups < 2:
        return math.nan
    if variance == 0:
        return 1.0 if values.mean() == 0 else 0.0
    return 2 * t_cdf(-abs(float(values.mean())) / math.sqrt(variance), groups - 1)


def bootstrap_weights(
    clusters: NDArray[np.int64], replicates: int, rng: np.random.Generator
) -> Floats:
    """How often each problem is drawn, (B, P): G clusters drawn with replacement, B times.

    One matrix for all cells: comparisons are paired because every cell sees the same problems.
    """
    _, index = np.unique(clusters, return_inverse=True)
    groups = int(index.max()) + 1 if len(index) else 0
    if groups == 0:
        return np.zeros((replicates, 0))
    drawn = rng.multinomial(groups, np.full(groups, 1 / groups), size=replicates)
    return drawn[:, index].astype(np.float64)


def bootstrap_means(weights: Floats, values: ArrayLike) -> Floats:
    """Means over problems in every replicate: `values` (…, P) -> (B, …); NaN is left out."""
    array = np.asarray(values, dtype=np.float64)
    flat = array.reshape(-1, array.shape[-1])
    known = ~np.isnan(flat)
    total = weights @ np.where(known, flat, 0.0).T
    count = weights.sum(axis=1, keepdims=True) if known.all() else weights @ known.T.astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        means: Floats = total / count
    return means.reshape(len(weights), *array.shape[:-1])


def percentile_interval(
    value: float, replicates: Floats, groups: int, n: int, *, level: float = 0.95
) -> Estimate:
    """Bootstrap percentile interval, widened for few clusters.

    The percentiles are moved from alpha/2 to Phi(-sqrt(G/(G-1)) t_{alpha/2, G-1}): the "expanded
    percentile interval" of Hesterberg (2015), which repairs the too narrow plain one.
    """
    if groups < 2:
        return Estimate(value, n=n, reason=ONE_CLUSTER)
    usable = replicates[~np.isnan(replicates)]
    if math.isnan(value) or len(usable) < 0.9 * len(replicates):
        return Estimate(value, n=n, reason="undefined in too many resamples")
    t = t_quantile((1 + level) / 2, groups - 1)
    tail = normal_cdf(-math.sqrt(groups / (groups - 1)) * t)
    low, high = np.quantile(usable, [tail, 1 - tail])
    return Estimate(value, float(low), float(high), n)


def holm(p_values: ArrayLike) -> Floats:
    """Holm's step-down adjustment; NaN stays NaN and does not count."""
    p = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full(p.shape, np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    factors = len(order) - np.arange(len(order))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * p[order]))
    return adjusted
