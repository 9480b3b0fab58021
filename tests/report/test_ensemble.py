"""Ensembles against enumeration, and no gain where there is none."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.report.metrics.ensemble import (
    allocation_score,
    best_allocation,
    cross_fit,
    miss_at,
    miss_table,
    single_scores,
    uniform_score,
)
from agent.report.metrics.intervals import mean_interval

counts = st.tuples(st.integers(0, 5), st.integers(0, 5)).map(lambda t: (max(t), min(t)))


def _chance(n: int, c: int, k: int) -> float:
    """Share of k-subsets of n samples that all fail, by enumeration."""
    subsets = list(combinations([True] * c + [False] * (n - c), k))
    return sum(not any(s) for s in subsets) / len(subsets)


@settings(max_examples=60)
@given(st.lists(st.integers(0, 4), min_size=2, max_size=3), st.data())
def test_allocations_are_products_of_subset_chances(solved: list[int], data: st.DataObject) -> None:
    n, c = np.full((len(solved), 1), 4), np.array(solved)[:, None]
    allocation = data.draw(st.tuples(*(st.integers(0, 4) for _ in solved)))
    miss = miss_table(n, c, 4)
    expected = 1 - np.prod([_chance(4, s, k) for s, k in zip(solved, allocation, strict=True)])
    assert allocation_score(miss, allocation)[0] == pytest.approx(expected)


@settings(max_examples=60)
@given(st.lists(st.integers(0, 4), min_size=2, max_size=4), st.integers(0, 4))
def test_uniform_is_the_mean_over_all_ways_to_place_the_rest(
    solved: list[int], budget: int
) -> None:
    members = len(solved)
    miss = miss_table(np.full((members, 1), 4), np.array(solved)[:, None], 4)
    q, r = divmod(budget, members)
    ways = [
        allocation_score(miss, [q + (j in extra) for j in range(members)])[0]
        for extra in combinations(range(members), r)
    ]
    assert uniform_score(miss, budget)[0] == pytest.approx(np.mean(ways))


def test_missing_samples_have_no_score() -> None:
    miss = miss_table(np.array([[4], [2]]), np.array([[1], [1]]), 4)
    assert np.isnan(allocation_score(miss, [0, 3])[0])


@pytest.mark.parametrize("seed", range(12))
def test_best_allocation_is_the_best_of_all(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = np.full((3, 9), 8)
    c = rng.binomial(8, rng.beta(0.5, 1.5, (3, 9)))
    miss = miss_table(n, c, 8)
    found = best_allocation(miss, 8)
    assert sum(found) == 8
    assert all(k == int(k) for k in found)
    best = max(allocation_score(miss, a).mean() for a in product(range(9), repeat=3) if sum(a) == 8)
    assert allocation_score(miss, found).mean() == pytest.approx(best, abs=1e-3)


@pytest.mark.parametrize("seed", range(6))
def test_best_allocation_respects_costs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    costs = np.array([1.0, 2.5, 4.0])
    miss = miss_table(np.full((3, 9), 10), rng.binomial(10, rng.beta(0.5, 1.5, (3, 9))), 10)
    found = best_allocation(miss, 10, costs)
    assert np.dot(found, costs) <= 10 + 1e-9
    affordable = [a for a in product(range(11), repeat=3) if np.dot(a, costs) <= 10]
    best = max(allocation_score(miss, a).mean() for a in affordable)
    assert allocation_score(miss, found).mean() >= best - 5e-3


def test_no_gain_is_found_where_there_is_none() -> None:
    """Five copies of one model: any gain of a chosen allocation would be flattery."""
    rng = np.random.default_rng(10)
    gains, covered = [], 0
    for _ in range(40):
        difficulty = rng.beta(0.5, 1.5, 60)
        c = rng.binomial(16, np.tile(difficulty, (5, 1)))
        miss = miss_table(np.full(c.shape, 16), c, 16)
        fitted = cross_fit(miss, 8, np.arange(60), rng, splits=2)
        difference = fitted.allocation - fitted.single
        gains.append(difference.mean())
        covered += mean_interval(difference, np.arange(60)).low <= 0
    assert abs(np.mean(gains)) < 3 * np.std(gains) / np.sqrt(40) + 1e-3
    assert covered / 40 > 0.9


def test_a_gain_is_found_where_there_is_one() -> None:
    """Two specialists: each solves the half of the problems that the other cannot."""
    rng = np.random.default_rng(11)
    rates = np.stack([np.r_[np.full(40, 0.4), np.zeros(40)], np.r_[np.zeros(40), np.full(40, 0.4)]])
    miss = miss_table(np.full((2, 80), 16), rng.binomial(16, rates), 16)
    fitted = cross_fit(miss, 16, np.arange(80), rng)
    gain = mean_interval(fitted.allocation - fitted.single, np.arange(80))
    assert gain.low > 0.2
    assert cross_fit(miss, 16, np.zeros(80, dtype=int), rng) is None


def test_a_fraction_of_a_uniform_budget_is_between_its_neighbours() -> None:
    rng = np.random.default_rng(12)
    miss = miss_table(np.full((3, 7), 6), rng.integers(0, 7, (3, 7)), 6)
    middle = (uniform_score(miss, 4) + uniform_score(miss, 5)) / 2
    assert uniform_score(miss, 4.5) == pytest.approx(middle)


def test_equal_members_of_slightly_different_cost_are_not_set_apart_by_rounding() -> None:
    miss = miss_table(np.full((2, 5), 10), np.full((2, 5), 3), 10)
    scores = single_scores(miss, 10.0, np.array([1.0, 1.01]))
    assert scores[0].mean() - scores[1].mean() < 0.01
    assert miss_at(miss[0], 2.5)[0] == pytest.approx((miss[0, 2, 0] + miss[0, 3, 0]) / 2)
