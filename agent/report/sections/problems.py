"""The problems: who solves which, and who solves what nobody else does."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from agent.report import tiles
from agent.report.combine import Data
from agent.report.document import Block, Figure, Prose, Section, Value, table
from agent.report.metrics.complement import overlap, peak, solved_only_by
from agent.report.metrics.counts import rates
from agent.report.read import SOLVED

_TOP = 8


def problems(data: Data) -> Section:
    if not data.finished:
        return Section("problems", "Problems", (Prose(("No finished attempt.",)),))
    blocks: list[Block] = [_grid(data)]
    if len(data.cells) > 1:
        blocks += [*_changed(data), _alone(data), _overlap(data)]
    return Section("problems", "Problems", tuple(blocks))


def _grid(data: Data) -> Figure:
    """Solve rate of every problem in every cell, ordered by where along α it has its centre."""
    solved = rates(data.counts[:, :, SOLVED], data.done)  # (C, P)
    position = np.array([c.alpha if c.alpha is not None else 0.0 for c in data.cells])
    total = np.nan_to_num(solved).sum(axis=0)
    order = np.lexsort((-total, peak(solved, position)))
    groups, columns = [], []
    for mode in data.modes:
        cells = [i for i, c in enumerate(data.cells) if c.mode == mode]
        columns += cells
        names = [_short(data, i) for i in cells]
        if all(name.startswith("α ") for name in names) and len(names) > 6:
            groups.append((f"{mode}, α", [name[2:] for name in names]))
        else:
            groups.append((mode, names))
    names = [data.problems[p].name for p in order]
    grid = solved[columns][:, order].T
    picture = tiles.heatmap("Solve rate per problem", names, groups, grid.tolist())
    titles = ["problem", "difficulty"]
    titles += [f"{data.cells[i].mode} {data.cells[i].label}:rate" for i in columns]
    rows: list[tuple[Value, ...]] = [
        (data.problems[p].name, data.problems[p].difficulty, *values)
        for p, values in zip(order.tolist(), grid.tolist(), strict=True)
    ]
    return Figure(
        "problem_grid", "Solve rate per problem", picture,
        table("problem_grid", "Solve rate per problem", titles, rows),
        "Problems are ordered by the α at which their solve rate has its centre; those that nothing"
        " solves come last. Empty: no finished attempt.",
    )  # fmt: skip


def _changed(data: Data) -> list[Block]:
    """Where the two ends of a curve differ most, problem by problem."""
    rows: list[tuple[Value, ...]] = []
    for family in data.families:
        for mode in data.modes:
            cells = [i for i in data.curve(mode, family) if data.done[i].any()]
            if len(cells) < 2:
                continue
            low, high = (_nearest(data, cells, alpha) for alpha in (0.0, 1.0))
            solved = rates(data.counts[[low, high], :, SOLVED], data.done[[low, high]])
            difference = np.nan_to_num(solved[1] - solved[0])
            order = np.argsort(difference, kind="stable")
            top = [p for p in order[: -_TOP - 1 : -1].tolist() if difference[p] > 0]
            top += [p for p in order[:_TOP].tolist() if difference[p] < 0]
            for p in top:
                n = int(data.done[low, p]), int(data.done[high, p])
                rows.append(
                    (family, mode, data.problems[p].name, data.problems[p].difficulty, *n,
                     float(solved[0, p]), float(solved[1, p]), float(difference[p]))
                )  # fmt: skip
    if not rows:
        return []
    return [
        table(
            "changed", "Problems that change most between α = 0 and α = 1",
            ["family", "mode", "problem", "difficulty", "n at 0:count", "n at 1:count",
             "solved at 0:rate", "solved at 1:rate", "difference:points"],
            rows,
            f"Up to {_TOP} gains and {_TOP} losses a curve; the nearest α where 0 or 1 is missing."
            " The extremes of many noisy differences are larger than what a repetition would show.",
        )
    ]  # fmt: skip


def _nearest(data: Data, cells: list[int], alpha: float) -> int:
    return min(cells, key=lambda i: abs((data.cells[i].alpha or 0.0) - alpha))


def _short(data: Data, cell: int) -> str:
    c = data.cells[cell]
    return f"α {c.alpha:g}".replace("-", "−") if c.alpha is not None and c.family else c.label


def _solved(data: Data, cells: list[int]) -> NDArray[np.bool_]:
    """Solved at least once, over the problems that all these cells have tried equally often."""
    done = data.done[cells]
    fair = (done > 0).all(axis=0) & (done == done[0]).all(axis=0)
    solved: NDArray[np.bool_] = data.counts[cells][:, fair, SOLVED] > 0
    return solved


def _alone(data: Data) -> Block:
    by_mode: dict[int, tuple[int, int]] = {}
    by_model: dict[int, int] = {}
    for mode in data.modes:
        cells = [i for i, c in enumerate(data.cells) if c.mode == mode]
        solved = _solved(data, cells)
        for i, own, alone in zip(cells, solved.sum(axis=1), solved_only_by(solved), strict=True):
            by_mode[i] = int(own), int(alone)
    for label in data.models:
        cells = [i for i, c in enumerate(data.cells) if c.label == label]
        for i, alone in zip(cells, solved_only_by(_solved(data, cells)), strict=True):
            by_model[i] = int(alone)
    rows: list[tuple[Value, ...]] = [
        (cell.mode, cell.label, int((data.done[i] > 0).sum()), *by_mode[i], by_model[i])
        for i, cell in enumerate(data.cells)
    ]
    return table(
        "solved_sets", "Problems solved at least once, and by whom alone",
        ["mode", "model", "problems:count", "solved:count", "by no other model in this mode:count",
         "by no other mode of this model:count"],
        rows,
        "Counted over problems that all compared cells tried equally often. With few samples a"
        " problem is often solved by one cell alone by chance.",
    )  # fmt: skip


def _overlap(data: Data) -> Block:
    rows: list[tuple[Value, ...]] = []
    pools = [(m, [i for i, c in enumerate(data.cells) if c.mode == m]) for m in data.modes]
    pools += [(m, [i for i, c in enumerate(data.cells) if c.label == m]) for m in data.models]
    for name, cells in pools:
        solved = _solved(data, cells)
        shared = overlap(solved)
        for a, b in combinations(range(len(cells)), 2):
            first, second = data.cells[cells[a]], data.cells[cells[b]]
            same = first.mode == second.mode
            pair = (first.label, second.label) if same else (first.mode, second.mode)
            only = int((solved[a] & ~solved[b]).sum()), int((solved[b] & ~solved[a]).sum())
            both = int((solved[a] & solved[b]).sum())
            rows.append((name, *pair, both, *only, float(shared[a, b])))
    return table(
        "overlap", "Overlap of the solved sets, pair by pair",
        ["within", "first", "second", "both:count", "first only:count", "second only:count",
         "both / either:rate"],
        rows,
    )  # fmt: skip
