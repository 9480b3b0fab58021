"""Modes side by side: what happened to the attempts of every model in every mode."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agent.report import tiles
from agent.report.combine import Data
from agent.report.document import Block, Figure, Section, Table, Value, show, table
from agent.report.metrics.counts import rates, tally, totals
from agent.report.metrics.intervals import UNDEFINED, Estimate, mean_interval, rate_interval
from agent.report.read import (
    CORRECTNESS,
    COVERAGES,
    NO_SUBMISSION,
    OPTIMIZATION,
    SOLVED,
    VERDICTS,
)

KINDS = (SOLVED, CORRECTNESS, OPTIMIZATION, NO_SUBMISSION)
KIND_NAMES = ("solved", "correctness failure", "optimization failure", "no submission")
KIND_CLASSES = ("o-solved", "o-wrong", "o-slow", "o-none")


def cell_rate(
    data: Data, cell: int, outcome: int, problems: NDArray[np.bool_] | None = None
) -> Estimate:
    """Mean over problems of the share of finished attempts with this outcome."""
    chosen = slice(None) if problems is None else problems
    done = data.done[cell, chosen]
    if not done.any():
        return UNDEFINED
    part = rates(data.counts[cell, chosen, outcome], done)
    return rate_interval(part, data.clusters[chosen], int(done.sum()))


def modes(data: Data) -> Section:
    """Modes x models: outcomes, cost, verdicts, coverages."""
    if not data.finished:
        return Section("modes", "Modes", (_overview(data),))
    blocks: list[Block] = [_mix(data), _overview(data)]
    blocks += [_by_difficulty(data)] if len(data.difficulties) > 1 else []
    blocks += [_cost(data), _verdicts(data), _coverages(data)]
    return Section("modes", "Modes", tuple(blocks))


def _mix(data: Data) -> Figure:
    groups = []
    for mode in data.modes:
        bars = []
        for i, cell in enumerate(data.cells):
            if cell.mode != mode or not data.done[i].any():
                continue
            parts = [cell_rate(data, i, kind).value for kind in KINDS]
            tip = f"{cell.label}, {mode}, n = {int(data.done[i].sum()):,}\n" + "\n".join(
                f"{name}: {show(p, 'rate')} %" for name, p in zip(KIND_NAMES, parts, strict=True)
            )
            stack = tiles.Stack(cell.label, tuple(parts), tip)
            bars.append((stack, int(data.done[i].sum())))
        groups.append((mode, bars))
    stacks = [(mode, [stack for stack, _ in bars]) for mode, bars in groups]
    picture = tiles.stacks(
        "Outcomes of every model in every mode", stacks, KIND_NAMES, KIND_CLASSES
    )
    rows: list[tuple[Value, ...]] = [
        (mode, stack.label, n, *stack.parts) for mode, bars in groups for stack, n in bars
    ]
    columns = ["mode", "model", "n:count", *(f"{k}:rate" for k in KIND_NAMES)]
    return Figure("outcome_mix", "What became of the attempts", picture,
                  table("outcome_mix", "Outcome mix", columns, rows))  # fmt: skip


def _overview(data: Data) -> Table:
    columns = [
        "mode", "model", "problems:count", "n:count",
        "solved:rate", *(f"{k}:rate" for k in KIND_NAMES[1:]),
    ]  # fmt: skip
    rows: list[tuple[Value, ...]] = []
    for i, cell in enumerate(data.cells):
        done = data.done[i]
        estimates = [cell_rate(data, i, kind) for kind in KINDS]
        rows.append((cell.mode, cell.label, int((done > 0).sum()), int(done.sum()), *estimates))
    return table(
        "modes", "Outcomes by mode and model", columns, rows,
        "Mean over problems of the share of finished attempts; brackets: 95 % interval over"
        " problems (effective-sample-size Wilson). Attribution “first”: the smallest"
        " failing test decides.",
    )  # fmt: skip


def _by_difficulty(data: Data) -> Table:
    columns = ["mode", "model", "difficulty", "problems:count",
               "n:count", *(f"{k}:rate" for k in KIND_NAMES)]  # fmt: skip
    level = np.array([problem.difficulty for problem in data.problems])
    rows: list[tuple[Value, ...]] = []
    for i, cell in enumerate(data.cells):
        for difficulty in data.difficulties:
            chosen = level == difficulty
            done = data.done[i, chosen]
            if done.any():
                estimates = [cell_rate(data, i, kind, chosen) for kind in KINDS]
                rows.append(
                    (
                        cell.mode,
                        cell.label,
                        difficulty,
                        int((done > 0).sum()),
                        int(done.sum()),
                        *estimates,
                    )
                )
    return table("difficulty", "Outcomes by difficulty", columns, rows)


def _cost(data: Data) -> Table:
    a = data.attempts
    done = a.outcome > 0
    shape = (len(data.cells), len(data.problems))
    index = (a.cell[done], a.problem[done])
    measured = (
        ("completion tokens", a.completion_tokens, "count"),
        ("prompt tokens", a.prompt_tokens, "count"),
        ("reasoning tokens", a.reasoning_tokens, "count"),
        ("turns", a.turns, "number"),
        ("tool calls", a.tool_calls, "number"),
        ("wall time", a.wall_s, "seconds"),
        ("working time", a.working_s, "seconds"),
    )
    means = [rates(totals(index, values[done], shape), data.done) for _, values, _ in measured]
    rows: list[tuple[Value, ...]] = []
    for i, cell in enumerate(data.cells):
        if data.done[i].any():
            estimates = [mean_interval(mean[i], data.clusters) for mean in means]
            total = int(data.done[i].sum())
            rows.append((cell.mode, cell.label, total, *estimates))
    return table(
        "cost", "Cost of one attempt",
        ["mode", "model", "n:count", *(f"{t}:{k}" for t, _, k in measured)],
        rows,
        "Means over problems with 95 % t intervals over problems. Working time leaves out waiting"
        " for the server's queue.",
    )  # fmt: skip


def _verdicts(data: Data) -> Table:
    a = data.attempts
    mix = tally((a.cell, np.where(a.verdict > 0, a.verdict, -1)), (len(data.cells), len(VERDICTS)))
    rows: list[tuple[Value, ...]] = []
    for i, cell in enumerate(data.cells):
        judged = int(mix[i].sum())
        if judged:
            rows.append((cell.mode, cell.label, judged, *(float(v) / judged for v in mix[i, 1:])))
    return table(
        "verdicts", "Verdicts of the judged submissions",
        ["mode", "model", "judged:count", *(f"{v}:rate" for v in VERDICTS[1:])],
        rows,
        "AC accepted; WA wrong answer, RE runtime error, OLE output limit, ILE idle and CE does not"
        " compile are correctness failures; TLE time and MLE memory are optimization failures.",
    )  # fmt: skip


def _coverages(data: Data) -> Table:
    a = data.attempts
    done = a.outcome > 0
    passed = []
    for bit in range(len(COVERAGES)):
        holds = done & (a.coverage >= 0) & ((a.coverage.astype(np.int64) >> bit) & 1 == 1)
        counts = tally((a.cell[holds], a.problem[holds]), (len(data.cells), len(data.problems)))
        passed.append(rates(counts, data.done))
    largest = max((problem.max_input_bytes for problem in data.problems), default=0)
    useful = [b for b in range(6) if b == 0 or largest >= 10**b] + [6]
    rows: list[tuple[Value, ...]] = []
    for i, cell in enumerate(data.cells):
        total = int(data.done[i].sum())
        if total:
            estimates = [rate_interval(passed[b][i], data.clusters, total) for b in useful]
            rows.append((cell.mode, cell.label, total, *estimates))
    titles = [f"R_{COVERAGES[b]}" if b < 6 else "R_full" for b in useful]
    return table(
        "coverages", "Reward at every coverage",
        ["mode", "model", "n:count", *(f"{t}:rate" for t in titles)],
        rows,
        "R_k = 1 if all tests whose input is shorter than 10^k bytes pass, else 0; no submission"
        " counts as 0.",
    )  # fmt: skip
