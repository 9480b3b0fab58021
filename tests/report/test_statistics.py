"""Statistics against brute-force enumeration and simulation with known truth."""

from __future__ import annotations

import math
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.report.metrics.complement import overlap, peak, solved_only_by
from agent.report.metrics.counts import missing_bounds, rates, tally, totals
from agent.report.metrics.distributions import (
    binomial_two_sided,
    incomplete_beta,
    t_cdf,
    t_quantile,
)
from agent.report.metrics.frontier import flatness, kendall_tau, positions, slope, trend
from agent.report.metrics.intervals import (
    bootstrap_means,
    bootstrap_weights,
    holm,
    mean_interval,
    mean_p_value,
    percentile_interval,
    rate_interval,
)
from agent.report.metrics.paired import compare, corrected
from agent.report.metrics.passk import log_grid, pass_at_k

# --- distributions ------------------------------------------------------------------------------


@pytest.mark.parametrize("df", [1, 2, 5, 30, 400])
def test_t_distribution_is_the_integral_of_its_density(df: int) -> None:
    x = np.linspace(-200, 1.7, 4_000_001)
    log_constant = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - 0.5 * math.log(df * math.pi)
    density = np.exp(log_constant - (df + 1) / 2 * np.log1p(x * x / df))
    area = float(((density[1:] + density[:-1]) / 2 * np.diff(x)).sum()) + t_cdf(-200, df)
    assert t_cdf(1.7, df) == pytest.approx(area, abs=1e-8)
    assert t_cdf(t_quantile(0.975, df), df) == pytest.approx(0.975, abs=1e-12)


def test_known_quantiles_and_symmetry() -> None:
    assert t_quantile(0.975, 1) == pytest.approx(12.7062047, rel=1e-8)
    assert t_quantile(0.975, math.inf) == pytest.approx(1.959963985, rel=1e-9)
    assert t_quantile(0.2, 7) == pytest.approx(-t_quantile(0.8, 7))
    assert incomplete_beta(2, 3, 0.4) == pytest.approx(0.5248)  # by hand: sum of binomials


@given(st.integers(0, 12), st.integers(0, 12))
def test_exact_binomial_counts_all_coin_sequences(successes: int, failures: int) -> None:
    trials = successes + failures
    if trials > 12:
        return
    far = abs(successes - trials / 2)
    extreme = sum(abs(sum(s) - trials / 2) >= far for s in product((0, 1), repeat=trials))
    assert binomial_two_sided(successes, trials) == pytest.approx(extreme / 2**trials)


# --- pass@k -------------------------------------------------------------------------------------


@given(st.integers(1, 8), st.data())
def test_pass_at_k_is_the_share_of_subsets_that_hold_a_solution(
    n: int, data: st.DataObject
) -> None:
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    samples = [True] * c + [False] * (n - c)
    subsets = list(combinations(samples, k))
    expected = sum(any(s) for s in subsets) / len(subsets)
    assert pass_at_k(np.array([n]), np.array([c]), k)[0] == pytest.approx(expected)


def test_pass_at_k_is_undefined_where_samples_are_missing() -> None:
    values = pass_at_k(np.array([3, 10]), np.array([3, 0]), 5)
    assert math.isnan(values[0])
    assert values[1] == 0


def test_log_grid_ends_at_the_limit() -> None:
    assert log_grid(250) == [1, 2, 5, 10, 20, 50, 100, 200, 250]
    assert log_grid(1) == [1]
    assert log_grid(0) == []


# --- counting -----------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(-1, 2), st.integers(0, 3), st.integers(0, 9)), max_size=40))
def test_tally_and_totals_count_row_by_row(rows: list[tuple[int, int, int]]) -> None:
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3)
    counted = tally((columns[:, 0], columns[:, 1]), (3, 4))
    valid = columns[columns[:, 0] >= 0]
    summed = totals((valid[:, 0], valid[:, 1]), valid[:, 2], (3, 4))
    for i, j in product(range(3), range(4)):
        mine = [v for a, b, v in rows if (a, b) == (i, j)]
        assert counted[i, j] == len(mine)
        assert summed[i, j] == sum(mine)


def test_missing_attempts_widen_the_bounds() -> None:
    assert missing_bounds(3, 8, 10) == (0.3, 0.5)
    assert math.isnan(missing_bounds(0, 0, 0)[0])
    assert math.isnan(rates(np.array([0]), np.array([0]))[0])


# --- intervals ----------------------------------------------------------------------------------


def _covered(interval, truth: float) -> bool:
    return interval.low <= truth <= interval.high


@pytest.mark.parametrize(("problems", "n"), [(20, 4), (60, 16)])
def test_intervals_cover_at_their_nominal_rate(problems: int, n: int) -> None:
    """Problems of random difficulty, samples within: the truth is the mean difficulty."""
    rng = np.random.default_rng(1)
    repetitions, truth = 600, 0.3
    clusters = np.arange(problems)
    hits = {"wilson": 0, "mean": 0, "bootstrap": 0}
    for _ in range(repetitions):
        difficulty = rng.beta(0.6, 1.4, problems)
        values = rng.binomial(n, difficulty) / n
        hits["wilson"] += _covered(rate_interval(values, clusters, problems * n), truth)
        hits["mean"] += _covered(mean_interval(values, clusters), truth)
        weights = bootstrap_weights(clusters, 400, rng)
        drawn = bootstrap_means(weights, values)
        hits["bootstrap"] += _covered(
            percentile_interval(values.mean(), drawn, problems, problems), truth
        )
    for name, count in hits.items():
        assert 0.915 <= count / repetitions <= 0.985, (name, count / repetitions)


def test_intervals_cover_when_problems_come_in_clusters() -> None:
    rng = np.random.default_rng(2)
    groups, size, n, repetitions = 25, 6, 5, 500
    clusters = np.repeat(np.arange(groups), size)
    right = naive = 0
    for _ in range(repetitions):
        shared = np.repeat(rng.beta(0.8, 1.2, groups), size)
        values = rng.binomial(n, shared) / n
        right += _covered(rate_interval(values, clusters, n * size * groups), 0.4)
        naive += _covered(rate_interval(values, np.arange(groups * size), n * size * groups), 0.4)
    assert 0.915 <= right / repetitions <= 0.985
    assert naive / repetitions < 0.75  # what ignoring the clusters would have claimed


def test_intervals_of_extreme_and_tiny_data() -> None:
    everything = rate_interval(np.ones(10), np.arange(10), 80)
    assert everything.high == 1
    assert everything.low < 0.8  # ten problems, not eighty samples
    alone = rate_interval(np.array([0.5]), np.array([0]), 4)
    assert not alone.known
    assert alone.reason
    assert math.isnan(rate_interval(np.array([np.nan]), np.array([0]), 0).value)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_is_the_step_down_of_bonferroni(p: list[float]) -> None:
    adjusted = holm([*p, math.nan])
    order = sorted(range(len(p)), key=lambda i: p[i])
    running = 0.0
    for rank, i in enumerate(order):
        running = max(running, min(1.0, (len(p) - rank) * p[i]))
        assert adjusted[i] == pytest.approx(running)
    assert math.isnan(adjusted[-1])


def test_p_values_are_uniform_when_nothing_differs() -> None:
    rng = np.random.default_rng(3)
    clusters = np.arange(15)
    p = [mean_p_value(rng.normal(0, 1, 15), clusters) for _ in range(2000)]
    assert np.mean(np.array(p) < 0.05) == pytest.approx(0.05, abs=0.015)


# --- frontier -----------------------------------------------------------------------------------


@settings(max_examples=60)
@given(st.lists(st.integers(0, 4), min_size=2, max_size=6))
def test_tau_counts_pairs(values: list[int]) -> None:
    x = np.arange(len(values), dtype=float)
    agree = disagree = tied = 0
    for i, j in combinations(range(len(values)), 2):
        step = np.sign(values[j] - values[i])
        agree, disagree, tied = agree + (step > 0), disagree + (step < 0), tied + (step == 0)
    pairs = agree + disagree + tied
    got = kendall_tau(x, np.array(values, dtype=float))
    if agree + disagree == 0:
        assert math.isnan(got)
    else:
        expected = (agree - disagree) / math.sqrt(pairs * (agree + disagree))
        assert got == pytest.approx(expected)


def _line_world(alphas: np.ndarray, problems: int, n: int, rng: np.random.Generator, bend=0.0):
    """Per-problem failure rates with a straight frontier, bent at inner and outer points."""
    slow = np.clip(0.45 - 0.3 * alphas, 0, 1)
    wrong = np.clip(0.15 + 0.3 * alphas - bend * alphas * (1 - alphas), 0, 1)
    lean = rng.normal(0, 0.05, problems)
    draw = [rng.binomial(n, np.clip(rate[:, None] + lean, 0, 1)) / n for rate in (slow, wrong)]
    return draw[0], draw[1]


def test_positions_are_read_from_the_intervals() -> None:
    rng = np.random.default_rng(4)
    alphas = np.array([-0.4, 0.0, 0.5, 1.0, 1.4])
    clusters = np.arange(200)
    weights = bootstrap_weights(clusters, 500, rng)
    slow, wrong = _line_world(alphas, 200, 30, rng)
    straight = {p.alpha: p.verdict for p in positions(alphas, slow, wrong, weights, 200)}
    assert straight[0.5] == "on the segment"
    assert straight[-0.4].startswith("beyond the endpoint")
    assert straight[1.4].startswith("beyond the endpoint")
    slow, wrong = _line_world(alphas, 200, 30, rng, bend=0.4)
    bent = {p.alpha: p for p in positions(alphas, slow, wrong, weights, 200)}
    assert bent[0.5].verdict == "better than the segment"
    assert bent[0.5].below.value > 0
    few = positions(alphas, slow[:, :12], wrong[:, :12], weights[:, :12], 12, margin=0.01)
    assert "on the segment" not in {p.verdict for p in few}  # 0 inside a wide interval is no proof
    assert positions(alphas[2:], slow[2:], wrong[2:], weights, 200) == []


def test_trend_finds_direction_and_slope() -> None:
    rng = np.random.default_rng(5)
    alphas = np.array([0.0, 0.5, 1.0])
    slow, wrong = _line_world(alphas, 100, 20, rng)
    weights = bootstrap_weights(np.arange(100), 800, rng)
    t = trend(alphas, slow, weights, 100)
    assert t.tau.value == -1
    assert t.slope.low < -0.3 < t.slope.high
    assert t.step_up.high < 0
    assert trend(alphas, wrong, weights, 100).tau.low > 0
    assert slope(alphas, np.array([1.0, 2.0, 3.0])) == pytest.approx(2)


def test_tau_interval_is_wide_when_nothing_moves() -> None:
    rng = np.random.default_rng(6)
    alphas = np.arange(5.0)
    values = rng.binomial(10, 0.4, (5, 60)) / 10
    t = trend(alphas, values, bootstrap_weights(np.arange(60), 800, rng), 60)
    assert t.tau.low < 0 < t.tau.high


def test_flatness_needs_evidence_both_ways() -> None:
    rng = np.random.default_rng(7)
    alphas, clusters = np.array([0.0, 0.5, 1.0]), np.arange(150)
    base = rng.beta(2, 2, 150)
    same = rng.binomial(200, np.tile(base, (3, 1))) / 200
    assert flatness(alphas, same, clusters, 0.05).flat
    apart = np.stack([base, base, base + 0.2])
    f = flatness(alphas, apart, clusters, 0.05)
    assert f.differs
    assert not f.flat
    few = rng.binomial(2, np.tile(base[:8], (3, 1))) / 2
    f = flatness(alphas, few, clusters[:8], 0.05)
    assert not f.flat
    assert not f.differs
    assert flatness(alphas, base[None, :1].repeat(3, 0), clusters[:1], 0.05) is None


def test_flatness_rarely_claims_equivalence_at_the_margin() -> None:
    rng = np.random.default_rng(8)
    alphas, clusters = np.array([0.0, 1.0]), np.arange(40)
    wrong = 0
    for _ in range(400):
        noise = rng.normal(0.05, 0.06, 40)  # the true difference is exactly the margin
        wrong += flatness(alphas, np.stack([np.zeros(40), noise]), clusters, 0.05).flat
    assert wrong / 400 <= 0.075


# --- pairs and sets -----------------------------------------------------------------------------


def test_paired_comparison_against_enumeration() -> None:
    rng = np.random.default_rng(9)
    done = np.full(12, 4)
    a, b = rng.integers(0, 3, 12), rng.integers(0, 5, 12)
    weights = bootstrap_weights(np.arange(12), 500, rng)
    c = compare(a, done, b, done, np.arange(12), weights)
    assert c is not None
    assert c.difference.value == pytest.approx(float((b - a).mean() / 4))
    assert c.gained == sum(x == 0 < y for x, y in zip(a, b, strict=True))
    assert c.lost == sum(y == 0 < x for x, y in zip(a, b, strict=True))
    assert c.mcnemar == binomial_two_sided(c.gained, c.gained + c.lost)
    fixed = corrected([c, c, c])
    assert fixed[0].p_holm == pytest.approx(min(1, 3 * c.p))
    assert compare(a, done * 0, b, done, np.arange(12), weights) is None


def test_unequal_samples_leave_mcnemar_undefined() -> None:
    weights = bootstrap_weights(np.arange(3), 50, np.random.default_rng(0))
    one, two = np.ones(3, dtype=int), np.full(3, 2)
    c = compare(one, one, one, two, np.arange(3), weights)
    assert c is not None
    assert math.isnan(c.mcnemar)


@given(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=1, max_size=4))
def test_sets_against_python_sets(rows: list[list[bool]]) -> None:
    solved = np.array(rows)
    sets = [{i for i, s in enumerate(row) if s} for row in rows]
    for i, mine in enumerate(sets):
        others = set().union(*(s for j, s in enumerate(sets) if j != i))
        assert solved_only_by(solved)[i] == len(mine - others)
    shared = overlap(solved)
    for i, j in permutations(range(len(sets)), 2):
        either = sets[i] | sets[j]
        expected = len(sets[i] & sets[j]) / len(either) if either else math.nan
        assert shared[i, j] == pytest.approx(expected, nan_ok=True)


def test_peak_is_the_centre_of_mass() -> None:
    centre = peak(np.array([[1.0, 0.0], [0.0, 0.0], [1.0, 0.0]]), np.array([0.0, 1.0, 2.0]))
    assert centre[0] == 1
    assert math.isinf(centre[1])
