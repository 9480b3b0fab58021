"""pass@k and ensembles over checkpoints: what to deploy at a budget."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from agent.report import svg
from agent.report.combine import Data
from agent.report.document import Block, Figure, Prose, Section, Value, show, table
from agent.report.metrics.counts import rates, totals
from agent.report.metrics.ensemble import (
    allocation_score,
    best_allocation,
    cross_fit,
    miss_table,
    single_scores,
    uniform_score,
)
from agent.report.metrics.intervals import UNDEFINED, Estimate, mean_interval, rate_interval
from agent.report.metrics.passk import log_grid, pass_at_k
from agent.report.read import SOLVED

SEED = 5


@dataclass(frozen=True, slots=True)
class Headline:
    """What spreading the budget over checkpoints brings in one mode."""

    name: str
    budget: int
    members: int
    problems: int
    uniform: Estimate
    single: Estimate
    single_name: str
    gain: Estimate  # uniform minus the best single, that one chosen on the same problems
    gain_fair: Estimate  # uniform minus the best single chosen on other problems
    allocation_gain: Estimate  # best allocation minus best single, both chosen on other problems
    allocation: str


def mean_tokens(data: Data) -> NDArray[np.float64]:
    """Mean completion tokens of an attempt per cell: mean over problems (C,)."""
    a = data.attempts
    done = a.outcome > 0
    shape = (len(data.cells), len(data.problems))
    sums = totals((a.cell[done], a.problem[done]), a.completion_tokens[done], shape)
    per_problem = rates(sums, data.done)
    known = ~np.isnan(per_problem)
    return rates(np.nansum(per_problem, axis=1), known.sum(axis=1))


def passk(data: Data, headlines: list[Headline]) -> Section:
    """Curves of every checkpoint, and ensembles at the same number of samples or tokens."""
    if not data.finished:
        return Section("passk", "pass@k, ensembles", (Prose(("No finished attempt.",)),))
    blocks: list[Block] = _curves(data)
    blocks += _ensembles(data, headlines)
    return Section("passk", "pass@k, ensembles", tuple(blocks))


def pass_estimate(data: Data, cell: int, k: int) -> Estimate:
    """Mean pass@k over the problems of a cell; NaN with the reason where a problem has n < k."""
    tried = data.done[cell] > 0
    if not tried.any():
        return UNDEFINED
    n, c = data.done[cell, tried], data.counts[cell, tried, SOLVED]
    if n.min() < k:
        short = int((n < k).sum())
        reason = f"n < {k} for {short} of {len(n)} problems (smallest n = {int(n.min())})"
        return Estimate(math.nan, reason=reason)
    return rate_interval(pass_at_k(n, c, k), data.clusters[tried], int(n.sum()))


def _curves(data: Data) -> list[Block]:
    largest = int(data.done.max())
    common = int(data.done[data.done > 0].min())  # the largest k that is defined everywhere
    grid = sorted({*log_grid(largest), common})
    tokens = mean_tokens(data)
    out: list[Block] = []
    rows: list[tuple[Value, ...]] = []
    scales = sorted({c.scale for c in data.cells}, key=lambda scale: (not scale, scale))
    for mode, scale in product(data.modes, scales):
        by_k: list[svg.Series] = []
        own: list[tuple[Value, ...]] = []
        by_tokens: list[svg.Series] = []
        spent: list[tuple[Value, ...]] = []
        cells = [
            i
            for i, c in enumerate(data.cells)
            if (c.mode, c.scale) == (mode, scale) and data.done[i].any()
        ]
        for number, i in enumerate(cells):
            estimates = [pass_estimate(data, i, k) for k in grid]
            own.append((mode, data.cells[i].label, int(data.done[i].sum()), *estimates))
            spent += [
                (mode, data.cells[i].label, k, k * float(tokens[i]), int(data.done[i].sum()), e)
                for k, e in zip(grid, estimates, strict=True)
            ]
            shade = number / (len(cells) - 1) if len(cells) > 3 else None
            style = (number, number)
            for series, unit in ((by_k, 1.0), (by_tokens, float(tokens[i]))):
                marks = tuple(
                    svg.Mark(
                        k * unit, e.value, y_low=e.low, y_high=e.high,
                        tip=f"{data.cells[i].label}, {mode}\npass@{k}: {show(e, 'rate')} %"
                        f"\n{k * tokens[i]:,.0f} tokens",
                    )
                    for k, e in zip(grid, estimates, strict=True)
                )  # fmt: skip
                series.append(
                    svg.Series(
                        data.cells[i].label, marks, *style, band=len(cells) <= 3, shade=shade
                    )
                )
        rows += own
        if not by_k or largest < 2:
            continue
        several = len(scales) > 1
        key = f"{mode}_{scale or 'others'}" if several else mode
        where = f"{mode}, {scale or 'models of no family'}" if several else mode
        out += [
            _picture(f"passk_{key}", f"pass@k, {where}", "samples k", by_k, own, grid),
            _picture(
                f"tokens_{key}", f"pass@k against tokens, {where}", "completion tokens",
                by_tokens, spent, grid,
            ),
        ]  # fmt: skip
    if largest < 2:
        columns = ["mode", "model", "n:count", *(f"pass@{k}:rate" for k in grid)]
        note = "One sample a problem: only k = 1 is defined."
        out.append(table("passk", "pass@k", columns, rows, note))
    return out


def _picture(
    key: str,
    title: str,
    axis: str,
    series: list[svg.Series],
    rows: list[tuple[Value, ...]],
    grid: list[int],
) -> Figure:
    marks = [m for s in series for m in s.marks if math.isfinite(m.y)]
    xs = [m.x for m in marks] or [1.0]
    ticks = tuple((float(k), f"{k}") for k in grid) if axis == "samples k" else ()
    x = svg.Axis(axis, min(xs) * 0.93, max(xs) * 1.08, log=True, ticks=ticks)
    y = svg.Axis(
        "pass@k",
        *svg.span([v for m in marks for v in (m.y_low, m.y, m.y_high)], floor=0.0),
        percent=True,
    )
    columns = ["mode", "model", "n:count", *(f"pass@{k}:rate" for k in grid)]
    if axis != "samples k":
        columns = ["mode", "model", "k:count", "completion tokens:count", "n:count", "pass@k:rate"]
    note = "Unbiased estimator, mean over problems; brackets: 95 % intervals over problems."
    return Figure(
        key, title, svg.chart(title, x, y, series), table(key, title, columns, rows), note
    )


def groups(data: Data) -> list[tuple[str, list[int]]]:
    """What may be put together: the checkpoints of a family in one mode."""
    return [
        (f"{family}, {mode}", [i for i in data.curve(mode, family) if data.done[i].any()])
        for family in data.families
        for mode in data.modes
    ]


def headlines(data: Data) -> list[Headline]:
    """One per family and mode with at least two finished checkpoints, at the largest budget."""
    found = []
    for name, cells in groups(data):
        prepared = _prepare(data, cells)
        if prepared is not None:
            found.append(_headline(data, name, cells, *prepared))
    return found


def _prepare(
    data: Data, cells: list[int]
) -> tuple[NDArray[np.float64], NDArray[np.int64], int] | None:
    """Miss table over shared problems, their clusters, the largest budget all members allow."""
    if len(cells) < 2:
        return None
    shared = np.all(data.done[cells] > 0, axis=0)
    if not shared.any():
        return None
    n, c = data.done[cells][:, shared], data.counts[cells][:, shared, SOLVED]
    budget = int(n.min())
    return miss_table(n, c, budget), data.clusters[shared], budget


def _headline(
    data: Data,
    name: str,
    cells: list[int],
    miss: NDArray[np.float64],
    clusters: NDArray[np.int64],
    budget: int,
) -> Headline:
    size = budget * miss.shape[2]
    singles = 1 - miss[:, budget]
    best = int(np.argmax(singles.mean(axis=1)))
    uniform = uniform_score(miss, budget)
    fitted = cross_fit(miss, budget, clusters, np.random.default_rng(SEED))
    chosen = best_allocation(miss, budget)
    spread = ", ".join(
        f"{k:.3g} × {data.cells[i].label}" for k, i in zip(chosen, cells, strict=True) if k
    )
    return Headline(
        name, budget, len(cells), miss.shape[2],
        rate_interval(uniform, clusters, size),
        rate_interval(singles[best], clusters, size),
        data.cells[cells[best]].label,
        mean_interval(uniform - singles[best], clusters),
        mean_interval(uniform - fitted.single, clusters) if fitted else UNDEFINED,
        mean_interval(fitted.allocation - fitted.single, clusters) if fitted else UNDEFINED,
        spread,
    )  # fmt: skip


def _ensembles(data: Data, found: list[Headline]) -> list[Block]:
    if not found:
        return []
    rows: list[tuple[Value, ...]] = [
        (h.name, h.budget, h.members, h.problems, h.single_name, h.single, h.uniform,
         h.gain, h.gain_fair, h.allocation_gain, h.allocation)
        for h in found
    ]  # fmt: skip
    blocks: list[Block] = [
        table(
            "ensembles", "Ensembles over checkpoints at a matched number of samples",
            ["family, mode", "samples K:count", "members:count", "problems:count", "best single",
             "its pass@K:rate", "uniform ensemble:rate", "minus best single:points",
             "minus best single, fair:points", "best allocation minus best single, fair:points",
             "best allocation on all problems"],
            rows,
            "Exact expected pass@K of K samples spread over the checkpoints. “Fair”: whatever is"
            " chosen is chosen on one half of the problems and scored on the other. Without it the"
            " best single checkpoint is flattered by being chosen on the problems it is scored on,"
            " so a gain of the uniform ensemble over it is a conservative one.",
        )
    ]  # fmt: skip
    rows = []
    for name, cells in groups(data):
        prepared = _prepare(data, cells)
        if prepared is None:
            continue
        miss, clusters, budget = prepared
        for k in log_grid(budget):
            singles = 1 - miss[:, k]
            best = int(np.argmax(singles.mean(axis=1)))
            uniform = uniform_score(miss, k)
            gain = mean_interval(uniform - singles[best], clusters)
            label = data.cells[cells[best]].label
            rows.append((name, k, gain.n, label, singles[best].mean(), uniform.mean(), gain))
    blocks.append(
        table(
            "ensembles_by_budget", "Uniform ensemble at every budget",
            ["family, mode", "samples K:count", "problems:count", "best single", "its pass@K:rate",
             "uniform ensemble:rate", "minus best single:points"],
            rows,
        )
    )  # fmt: skip
    matched = _matched_tokens(data)
    return [*blocks, matched] if matched else blocks


def _matched_tokens(data: Data) -> Block | None:
    """The same comparison where members cost differently; also over all modes at once."""
    tokens = mean_tokens(data)
    pools = groups(data)
    everything = [i for i in range(len(data.cells)) if data.done[i].any()]
    if len(data.modes) > 1:
        pools.append(("all models and modes", everything))
    rows: list[tuple[Value, ...]] = []
    for name, cells in pools:
        prepared = _prepare(data, cells)
        if prepared is None or not (tokens[cells] > 0).all():
            continue
        miss, clusters, samples = prepared
        costs = tokens[cells]
        budget = samples * float(costs.min())
        singles = single_scores(miss, budget, costs)
        best = int(np.argmax(singles.mean(axis=1)))
        fitted = cross_fit(
            miss, budget, clusters, np.random.default_rng(SEED), costs=costs, splits=3
        )
        chosen = best_allocation(miss, budget, costs)
        score = allocation_score(miss, chosen)
        spread = ", ".join(
            f"{k:.3g} × {data.cells[i].label} {data.cells[i].mode}"
            for k, i in zip(chosen, cells, strict=True)
            if k
        )
        gain = mean_interval(fitted.allocation - fitted.single, clusters) if fitted else UNDEFINED
        uniform = uniform_score(miss, min(budget / float(costs.mean()), samples))
        spreading = mean_interval(uniform - fitted.single, clusters) if fitted else UNDEFINED
        winner = data.cells[cells[best]]
        label = f"{budget / costs[best]:.3g} × {winner.label} {winner.mode}"
        rows.append(
            (name, budget, miss.shape[2], label, singles[best].mean(), uniform.mean(), spreading,
             score.mean(), gain, spread)
        )  # fmt: skip
    if not rows:
        return None
    return table(
        "ensembles_tokens", "Ensembles at a matched number of completion tokens",
        ["pool", "tokens a problem:count", "problems:count", "best single", "its pass:rate",
         "uniform ensemble:rate", "minus best single, fair:points",
         "best allocation (on all problems):rate", "minus best single, fair (allocation):points",
         "best allocation"],
        rows,
        "The budget is what the cheapest member uses for all of its samples; a sample costs its"
        " member's mean completion tokens; a fraction is a last sample drawn with that"
        " probability; the uniform ensemble draws equally often from every member. “Fair” is"
        " cross-fitted: nothing is scored on problems that it was chosen with.",
    )  # fmt: skip
