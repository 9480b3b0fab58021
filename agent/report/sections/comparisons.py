"""Paired comparisons between modes and between checkpoints, and the noise between equal cells."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from agent.report.combine import Data
from agent.report.document import Block, Prose, Section, Table, Value, table
from agent.report.metrics.counts import tally
from agent.report.metrics.intervals import bootstrap_weights
from agent.report.metrics.paired import Comparison, compare, corrected
from agent.report.read import SOLVED

REPLICATES = 4000
SEED = 7
_COLUMNS = [
    "problems:count", "solved, second − first:points", "p:p", "p, Holm:p",
    "only second solves:count", "only first solves:count", "McNemar p:p", "McNemar p, Holm:p",
]  # fmt: skip


def comparisons(data: Data) -> Section:
    """All pairs of modes per model, all pairs of checkpoints per mode, and A against A."""
    if len(data.problems) == 0 or not data.finished:
        return Section("comparisons", "Comparisons", (Prose(("No finished attempt.",)),))
    weights = bootstrap_weights(data.clusters, REPLICATES, np.random.default_rng(SEED))

    def pair(a: int, b: int) -> Comparison | None:
        return compare(
            data.counts[a, :, SOLVED], data.done[a], data.counts[b, :, SOLVED], data.done[b],
            data.clusters, weights,
        )  # fmt: skip

    blocks: list[Block] = []
    between_modes = [
        (label, f"{data.cells[a].mode} → {data.cells[b].mode}", pair(a, b))
        for label in data.models
        for a, b in combinations([i for i, c in enumerate(data.cells) if c.label == label], 2)
    ]
    blocks += _block(
        "mode_pairs", "Modes against each other, model by model", "model", between_modes
    )
    between_models = [
        (mode, f"{data.cells[a].label} → {data.cells[b].label}", pair(a, b))
        for mode in data.modes
        for a, b in combinations([i for i, c in enumerate(data.cells) if c.mode == mode], 2)
    ]
    title = "Checkpoints against each other, mode by mode"
    blocks += _block("model_pairs", title, "mode", between_models)
    blocks += [_same_again(data)] if any(len(c.runs) > 1 for c in data.cells) else []
    if not blocks:
        blocks.append(Prose(("There is only one cell, so there is nothing to compare.",)))
    return Section("comparisons", "Comparisons", tuple(blocks))


def _block(
    key: str, title: str, first: str, pairs: list[tuple[str, str, Comparison | None]]
) -> list[Block]:
    known = [(where, which, c) for where, which, c in pairs if c is not None]
    if not known:
        return []
    fixed = corrected([c for _, _, c in known])
    rows = [(where, which, *_cells(c)) for (where, which, _), c in zip(known, fixed, strict=True)]
    note = (
        f"Same problems for both sides. 95 % intervals: paired bootstrap over problems; p:"
        f" cluster-robust paired t; McNemar: exact, on “solved at least once”. Holm over the"
        f" {len(known)} pairs of this table."
    )
    return [table(key, title, [first, "pair", *_COLUMNS], rows, note)]


def _cells(c: Comparison) -> tuple[Value, ...]:
    return (
        c.difference.n,
        c.difference,
        c.p,
        c.p_holm,
        c.gained,
        c.lost,
        c.mcnemar,
        c.mcnemar_holm,
    )


def _same_again(data: Data) -> Table:
    """The same cell in two runs: differences that are noise by construction."""
    a = data.attempts
    shape = (len(data.runs), len(data.cells), len(data.problems))
    done = tally((a.run, a.cell, a.problem), shape) - tally(
        (np.where(a.outcome == 0, a.run, -1), a.cell, a.problem), shape
    )
    solved = tally((np.where(a.outcome == SOLVED, a.run, -1), a.cell, a.problem), shape)
    weights = bootstrap_weights(data.clusters, REPLICATES, np.random.default_rng(SEED))
    rows: list[tuple[Value, ...]] = []
    for i, cell in enumerate(data.cells):
        for x, y in combinations(cell.runs, 2):
            c = compare(solved[x, i], done[x, i], solved[y, i], done[y, i], data.clusters, weights)
            if c is not None:
                pair = f"{data.runs[x].name} → {data.runs[y].name}"
                rows.append((cell.mode, cell.label, pair, c.difference.n, c.difference, c.p))
    return table(
        "noise_floor", "Noise floor: the same cell run twice",
        ["mode", "model", "runs", "problems:count", "solved, second − first:points", "p:p"], rows,
        "Differences of this size between other cells mean nothing.",
    )  # fmt: skip
