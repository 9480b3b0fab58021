"""The failure split under other attributions and limits, and copies among the samples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from agent.report.combine import Data
from agent.report.document import Block, Prose, Section, Value, table
from agent.report.metrics import sensitivity as metric
from agent.report.metrics.counts import rates, tally
from agent.report.metrics.intervals import UNDEFINED, Estimate, rate_interval
from agent.report.read import (
    CORRECTNESS,
    OPTIMIZATION,
    OUTCOMES,
    SOLVED,
    VERDICTS,
    late,
    read_judging,
)

FACTORS = (0.5, 0.75, 0.9)
LONGER = (1.5, 3.0)
KILLED = 2.0  # times the limit: where the judge kills, unless a run's settings say otherwise
NEAR, LATE = 0.8, 1.25  # of the time limit


def sensitivity(data: Data) -> Section:
    if not data.finished:
        return Section("sensitivity", "Sensitivity", (Prose(("No finished attempt.",)),))
    blocks: list[Block] = [_attribution(data)]
    ratio = _late_ratios(data)
    blocks += [_limits(data, ratio), _near(data, ratio)]
    blocks += _rejudged(data)
    blocks.append(_duplicates(data))
    return Section("sensitivity", "Sensitivity", tuple(blocks))


def _shares(data: Data, outcome: NDArray[np.int8], kinds: Sequence[int]) -> list[list[Estimate]]:
    """For each cell the mean over problems of every kind's share, with intervals."""
    a = data.attempts
    shape = (len(data.cells), len(data.problems), len(OUTCOMES))
    counts = tally((a.cell, a.problem, outcome), shape)
    done = counts[:, :, 1:].sum(axis=2)
    out = []
    for i in range(len(data.cells)):
        total = int(done[i].sum())
        values = [rates(counts[i, :, kind], done[i]) for kind in kinds]
        out.append([rate_interval(v, data.clusters, total) if total else UNDEFINED for v in values])
    return out


def _attribution(data: Data) -> Block:
    a = data.attempts
    readings = (
        ("first (shown above)", a.outcome),
        ("any wrong", metric.any_wrong(a.outcome, a.any_wrong)),
        ("ILE as optimization", metric.idle_as_slow(a.outcome, a.verdict)),
    )
    failed = (a.outcome == CORRECTNESS) | (a.outcome == OPTIMIZATION)
    unknown = tally((np.where(failed & (a.any_wrong < 0), a.cell, -1),), (len(data.cells),))
    rows: list[tuple[Value, ...]] = []
    shares = [_shares(data, outcome, (CORRECTNESS, OPTIMIZATION)) for _, outcome in readings]
    for i, cell in enumerate(data.cells):
        if not data.done[i].any():
            continue
        for (name, _), values in zip(readings, shares, strict=True):
            open_cases = int(unknown[i]) if name == "any wrong" else 0
            total = int(data.done[i].sum())
            rows.append((cell.mode, cell.label, name, total, *values[i], open_cases))
    return table(
        "attribution", "Attribution of failures",
        ["mode", "model", "attribution", "n:count", "correctness failure:rate",
         "optimization failure:rate", "unknown, counted as first:count"],
        rows,
        "first: the smallest failing test decides. any wrong: a correctness failure if any test"
        " answered wrongly (known when all tests ran). ILE as optimization: programs that idled"
        " until the wall limit count as slow.",
    )  # fmt: skip


def _late_ratios(data: Data) -> NDArray[np.float64]:
    """CPU time over the limit of every attempt's late test; NaN: not late, or killed: unknown."""
    a = data.attempts
    ratio = np.full(len(a), np.nan)
    for number, run in enumerate(data.runs):
        ids, found = late(run.path)
        if not len(ids):
            continue
        settings = run.judgings[0].settings if run.judgings else {}
        killed = settings.get("hard_limit", KILLED)
        killed = float(killed) if isinstance(killed, int | float) else KILLED
        found = np.where(found < 0.95 * killed, found, np.nan)
        order = np.argsort(ids)
        place = np.minimum(np.searchsorted(ids, a.judgement, sorter=order), len(ids) - 1)
        own = (a.run == number) & (ids[order[place]] == a.judgement)
        ratio[own] = found[order[place]][own]
    return ratio


def _limits(data: Data, ratio: NDArray[np.float64]) -> Block:
    a = data.attempts
    shorter = [metric.shorter_limit(a.outcome, a.max_time_ratio, f) for f in FACTORS]
    # Killed programs would need at least KILLED: unknown (NaN) matters only beyond that.
    needed = np.where(np.isnan(ratio), KILLED, ratio)
    longer = [metric.longer_limit(a.outcome, a.verdict, needed, f) for f in LONGER]
    kinds = (SOLVED, OPTIMIZATION)
    at = [_shares(data, outcome, kinds) for outcome in (*shorter, a.outcome, *longer)]
    rows: list[tuple[Value, ...]] = []
    for i, cell in enumerate(data.cells):
        if not data.done[i].any():
            continue
        fixed = [value for shares in at[: len(FACTORS) + 1] for value in shares[i]]
        bounds = [e.value for shares in at[len(FACTORS) + 1 :] for e in shares[i]]
        rows.append((cell.mode, cell.label, int(data.done[i].sum()), *fixed, *bounds))
    columns = [
        f"{what}, ×{factor:g}:rate"
        for factor in (*FACTORS, 1)
        for what in ("solved", "optimization")
    ]
    columns += [
        f"{what}, ×{factor:g}:rate"
        for factor in LONGER
        for what in ("solved at most", "optimization at least")
    ]
    return table(
        "time_limit", "Other time limits",
        ["mode", "model", "n:count", *columns],
        rows,
        "Shorter limits follow from the measured times. Under a longer one only programs that ended"
        " within it, or that were killed before it, could still solve: at most all of them, at"
        " least none (the column ×1). Re-judge the run to know.",
    )  # fmt: skip


def _near(data: Data, ratio: NDArray[np.float64]) -> Block:
    a = data.attempts
    close = (a.outcome == SOLVED) & (np.nan_to_num(a.max_time_ratio) > NEAR)
    kinds = (a.outcome == SOLVED, close, a.verdict == VERDICTS.index("TLE"), ratio <= LATE)
    counts = [tally((np.where(which, a.cell, -1),), (len(data.cells),)) for which in kinds]
    rows: list[tuple[Value, ...]] = [
        (cell.mode, cell.label, *(int(c[i]) for c in counts)) for i, cell in enumerate(data.cells)
    ]
    return table(
        "near_limit", "Verdicts near the time limit",
        ["mode", "model", "solved:count", f"above {NEAR:.0%} of the limit:count", "TLE:count",
         f"ended within {LATE:.0%} of it:count"],
        rows,
        "Solved attempts above this share of the limit could fail on a slower or busier machine;"
        " programs that ended shortly after the limit could pass on a faster one.",
    )  # fmt: skip


def _rejudged(data: Data) -> list[Block]:
    rows: list[tuple[Value, ...]] = []
    for number, run in enumerate(data.runs):
        own = data.attempts.run == number
        for judging in run.judgings:
            if judging.id == 1:
                continue
            outcome = data.attempts.outcome.copy()
            outcome[own] = read_judging(run.path, judging.id, data.attempts.id[own])
            shares = _shares(data, outcome, (SOLVED, CORRECTNESS, OPTIMIZATION))
            for i, cell in enumerate(data.cells):
                if number in cell.runs:
                    name = f"{run.name}, judging {judging.id}"
                    total = int(np.count_nonzero(outcome[data.attempts.cell == i]))
                    rows.append((cell.mode, cell.label, name, total, *shares[i]))
    if not rows:
        return []
    columns = ["mode", "model", "judging", "n:count", "solved:rate", "correctness failure:rate",
               "optimization failure:rate"]  # fmt: skip
    note = "The same submissions under the conditions listed in Settings."
    return [table("rejudged", "Re-judged under other conditions", columns, rows, note)]


def _duplicates(data: Data) -> Block:
    """Samples of one cell and problem with the very same submission."""
    a = data.attempts
    has = a.submission >= 0
    keys = np.stack([a.run[has].astype(np.int64), a.cell[has], a.problem[has], a.submission[has]])
    order = np.lexsort(keys[::-1])
    ordered = keys[:, order]
    new = np.ones(ordered.shape[1], dtype=bool)
    new[1:] = (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)
    total = tally((a.cell[has],), (len(data.cells),))
    distinct = tally((ordered[1][new],), (len(data.cells),))
    rows: list[tuple[Value, ...]] = [
        (cell.mode, cell.label, int(total[i]), int(distinct[i]), int(total[i] - distinct[i]),
         float(total[i] - distinct[i]) / int(total[i]))
        for i, cell in enumerate(data.cells)
        if total[i]
    ]  # fmt: skip
    return table(
        "duplicates", "Identical submissions among the samples of a problem",
        ["mode", "model", "submissions:count", "distinct:count", "copies:count",
         "share of copies:rate"],
        rows,
        "Copies are counted, not removed: equal answers to easy problems are normal, many copies at"
        " a temperature above 0 point to a shared seed or a cache.",
    )  # fmt: skip
