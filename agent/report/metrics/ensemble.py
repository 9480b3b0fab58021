"""Expected pass@K of a budget of K samples spread over several members. Closed form, no simulation.

A member with n samples of which c solve fails k times with probability C(n-c, k) / C(n, k); members
are sampled independently, so an allocation misses with the product. Shapes: J members, P problems,
K the largest budget.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agent.report.metrics.passk import log_miss

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def miss_table(n: Ints, c: Ints, budget: int) -> Floats:
    """Probability that k samples of a member all fail: `n`, `c` (J, P) -> (J, K + 1, P).

    NaN where n < k: such an allocation has no unbiased estimate.
    """
    table = np.empty((n.shape[0], budget + 1, n.shape[1]))
    for k in range(budget + 1):
        table[:, k] = np.where(n >= k, np.exp(log_miss(n, c, k)), np.nan)
    return table


def miss_at(table: Floats, k: float) -> Floats:
    """Miss of one member's `table` (K + 1, P) at k samples.

    A fraction is a last sample that is drawn with that probability, so that a budget of tokens is
    met on average instead of being rounded down to whole samples.
    """
    whole = int(k + 1e-9)
    part = k - whole
    if part < 1e-9:
        exact: Floats = table[whole]
        return exact
    mixed: Floats = (1 - part) * table[whole] + part * table[whole + 1]
    return mixed


def allocation_score(miss: Floats, allocation: Sequence[float]) -> Floats:
    """Per-problem chance (P,) that the allocation solves; `allocation`: samples of each member."""
    product = np.ones(miss.shape[2])
    for member, k in enumerate(allocation):
        product = product * miss_at(miss[member], k)
    result: Floats = 1 - product
    return result


def uniform_score(miss: Floats, budget: float) -> Floats:
    """Per-problem chance (P,) of K samples spread evenly over all members.

    The K mod J left-over samples go to members drawn at random: the mean over all such choices is
    the coefficient of x^r in prod_j (miss_j(q) + x miss_j(q + 1)), divided by C(J, r). A fraction
    of K is a last sample that is drawn with that probability.
    """
    members = miss.shape[0]
    whole = int(budget + 1e-9)
    part = budget - whole
    if part > 1e-9:
        mixed: Floats = (1 - part) * uniform_score(miss, whole) + part * uniform_score(
            miss, whole + 1
        )
        return mixed
    q, r = divmod(whole, members)
    coefficients = np.zeros((r + 1, miss.shape[2]))
    coefficients[0] = 1
    for member in range(members):
        shifted = np.zeros_like(coefficients)
        if r:
            shifted[1:] = coefficients[:-1] * miss[member, q + 1]
        coefficients = coefficients * miss[member, q] + shifted
    result: Floats = 1 - coefficients[r] / math.comb(members, r)
    return result


def best_allocation(
    miss: Floats, budget: float, costs: Floats | None = None, weights: Floats | None = None
) -> tuple[float, ...]:
    """An allocation of the budget with a high mean score over problems.

    Greedy by gain per cost (the score is monotone with diminishing returns, so this is within
    1 - 1/e of the best), then single samples are exchanged between members until that no longer
    helps; the best single member is kept when it is better still. What is left of the budget buys
    a last sample with the probability that it pays for. `costs`: of one sample of each
    member (1 by default); `weights`: of the problems (P,).
    """
    members, size = miss.shape[0], miss.shape[1]
    price = np.ones(members) if costs is None else costs
    weight = np.ones(miss.shape[2]) if weights is None else weights
    limits = np.minimum(size - 1, np.floor(budget / price + 1e-9)).astype(int)
    chosen = np.zeros(members, dtype=int)
    left = float(budget)
    step = max(1, int(budget / price.min()) // 40)
    while True:
        affordable = np.minimum(limits - chosen, np.floor(left / price + 1e-9).astype(int))
        take = np.minimum(step, affordable)
        if not (take > 0).any():
            break
        others = _products_of_others(miss, chosen)
        now = miss[np.arange(members), chosen]
        after = miss[np.arange(members), chosen + np.maximum(take, 0)]
        gain = ((now - after) * others) @ weight / np.maximum(take, 1) / price
        best = int(np.argmax(np.where(take > 0, gain, -np.inf)))
        chosen[best] += take[best]
        left -= float(take[best] * price[best])
    starts = [tuple(chosen.tolist())]
    singles = [
        tuple(int(limits[j]) if i == j else 0 for i in range(members)) for j in range(members)
    ]
    starts.append(max(singles, key=lambda a: float(allocation_score(miss, a) @ weight)))
    found = [_exchange(miss, list(start), budget, price, weight, limits) for start in starts]
    full = [_spend_rest(miss, list(a), budget, price, weight) for a in found]
    return max(full, key=lambda a: float(allocation_score(miss, a) @ weight))


def _spend_rest(
    miss: Floats, chosen: list[float], budget: float, price: Floats, weight: Floats
) -> tuple[float, ...]:
    """Adds the fraction of one sample that the rest of the budget pays for, where it helps most."""
    rest = budget - float(np.dot(chosen, price))
    options = [tuple(chosen)]
    for member in range(len(chosen)):
        extra = min(rest / float(price[member]), miss.shape[1] - 1 - chosen[member], 1.0)
        if extra > 1e-9:
            options.append((*chosen[:member], chosen[member] + extra, *chosen[member + 1 :]))
    return max(options, key=lambda a: float(allocation_score(miss, a) @ weight))


def _products_of_others(miss: Floats, chosen: NDArray[np.int_]) -> Floats:
    """For each member the product of all other members' misses (J, P)."""
    members = len(chosen)
    terms = miss[np.arange(members), chosen]
    before, after = np.ones_like(terms), np.ones_like(terms)
    for j in range(1, members):
        before[j] = before[j - 1] * terms[j - 1]
        after[-1 - j] = after[-j] * terms[-j]
    return before * after


def _exchange(
    miss: Floats,
    chosen: list[int],
    budget: float,
    price: Floats,
    weight: Floats,
    limits: NDArray[np.int_],
) -> tuple[int, ...]:
    """Moves samples between members while the mean score rises; steps halve down to one."""
    members = len(chosen)
    score = float(allocation_score(miss, chosen) @ weight)
    step = max(1, max(chosen) // 4)
    for _ in range(60):
        better: tuple[float, list[int]] | None = None
        for source in range(members):
            moved = min(step, chosen[source])
            if not moved:
                continue
            rest = list(chosen)
            rest[source] -= moved
            left = budget - float(np.dot(rest, price))
            for target in range(members):
                extra = min(int(left / price[target] + 1e-9), int(limits[target]) - rest[target])
                if target == source or extra <= 0:
                    continue
                trial = list(rest)
                trial[target] += min(extra, max(moved, int(moved * price[source] / price[target])))
                value = float(allocation_score(miss, trial) @ weight)
                if value > (better[0] if better else score) + 1e-12:
                    better = value, trial
        if better:
            score, chosen = better
        elif step == 1:
            break
        else:
            step //= 2
    return tuple(chosen)


def single_scores(miss: Floats, budget: float, price: Floats) -> Floats:
    """Per-problem scores (J, P) of spending the whole budget on one member."""
    most = np.minimum(miss.shape[1] - 1, budget / price)
    return np.stack([1 - miss_at(table, float(k)) for table, k in zip(miss, most, strict=True)])


@dataclass(frozen=True, slots=True)
class CrossFitted:
    """Per-problem scores (P,) of choices made on other problems only."""

    allocation: Floats
    single: Floats


def cross_fit(
    miss: Floats,
    budget: float,
    clusters: Ints,
    rng: np.random.Generator,
    *,
    costs: Floats | None = None,
    splits: int = 8,
) -> CrossFitted | None:
    """Chooses on one half of the clusters, scores on the other, both ways, over several splits.

    A choice is never scored on a problem that it was made with, so neither the best allocation nor
    the best single member is flattered. None for fewer than two clusters.
    """
    names = np.unique(clusters)
    if len(names) < 2:
        return None
    members = miss.shape[0]
    price = np.ones(members) if costs is None else costs
    singles = single_scores(miss, budget, price)
    allocation, single = np.zeros(miss.shape[2]), np.zeros(miss.shape[2])
    for _ in range(splits):
        half = rng.permutation(names)[: len(names) // 2]
        left = np.isin(clusters, half)
        for learn, test in ((left, ~left), (~left, left)):
            best = best_allocation(miss[:, :, learn], budget, costs)
            allocation[test] += allocation_score(miss[:, :, test], best)
            single[test] += singles[int(np.argmax(singles[:, learn].mean(axis=1)))][test]
    return CrossFitted(allocation / splits, single / splits)
