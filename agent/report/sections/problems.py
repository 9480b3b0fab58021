"""The problems: who solves which."""

from __future__ import annotations

import numpy as np

from agent.report import tiles
from agent.report.combine import Data
from agent.report.document import Block, Figure, Prose, Section, Value, table
from agent.report.metrics.counts import rates
from agent.report.read import SOLVED


def problems(data: Data) -> Section:
    if not data.finished:
        return Section("problems", "Problems", (Prose(("No finished attempt.",)),))
    blocks: list[Block] = [_grid(data)]
    return Section("problems", "Problems", tuple(blocks))


def _grid(data: Data) -> Figure:
    """Solve rate of every problem in every cell, ordered by where along the cells it peaks."""
    solved = rates(data.counts[:, :, SOLVED], data.done)  # (C, P)
    position = np.array([c.alpha if c.alpha is not None else 0.0 for c in data.cells])
    weight = np.nan_to_num(solved)
    mass = weight.sum(axis=0)
    peak = np.where(
        mass > 0, (weight * position[:, None]).sum(axis=0) / np.maximum(mass, 1e-12), np.inf
    )
    order = np.lexsort((-mass, peak))
    groups, columns = [], []
    for mode in data.modes:
        cells = [i for i, c in enumerate(data.cells) if c.mode == mode]
        columns += cells
        groups.append((mode, [_short(data, i) for i in cells]))
    names = [data.problems[p].name for p in order]
    grid = solved[columns][:, order].T
    picture = tiles.heatmap("Solve rate per problem", names, groups, grid.tolist())
    titles = ["problem", "difficulty"]
    titles += [f"{data.cells[i].mode} {data.cells[i].label}:rate" for i in columns]
    rows: list[tuple[Value, ...]] = [
        (
            data.problems[p].name,
            data.problems[p].difficulty,
            *(float(v) for v in solved[columns, p]),
        )
        for p in order
    ]
    return Figure(
        "problem_grid", "Solve rate per problem", picture,
        table("problem_grid", "Solve rate per problem", titles, rows),
        "Problems are ordered by the α at which their solve rate has its centre; those that nothing"
        " solves come last.",
    )  # fmt: skip


def _short(data: Data, cell: int) -> str:
    c = data.cells[cell]
    return f"α {c.alpha:g}".replace("-", "−") if c.alpha is not None and c.family else c.label
