"""The frontier: optimization failures against correctness failures along alpha, and its shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agent.report import svg
from agent.report.combine import Data
from agent.report.document import Block, Figure, Prose, Section, Value, show, table
from agent.report.metrics.counts import rates
from agent.report.metrics.frontier import Flatness, Position, Trend, flatness, positions, trend
from agent.report.metrics.intervals import bootstrap_weights
from agent.report.read import CORRECTNESS, OPTIMIZATION, SOLVED
from agent.report.sections.modes import cell_rate

REPLICATES = 4000
SEED = 20240529  # of the bootstrap: the same run gives the same report


@dataclass(frozen=True, slots=True)
class Curve:
    """One family in one mode: what the trends and positions are computed from."""

    mode: str
    family: str
    cells: tuple[int, ...]
    alpha: NDArray[np.float64]
    problems: int  # that every member has attempted
    optimization: Trend
    correctness: Trend
    solve: Trend
    positions: tuple[Position, ...]
    flatness: Flatness | None

    @property
    def name(self) -> str:
        return f"{self.family}, {self.mode}"


def curves(data: Data, margin: float, problems: NDArray[np.bool_] | None = None) -> list[Curve]:
    """Every curve with at least two finished checkpoints, over the problems all of them have."""
    found = []
    for mode in data.modes:
        for family in data.families:
            cells = [i for i in data.curve(mode, family) if data.done[i].any()]
            if len(cells) < 2:
                continue
            shared: NDArray[np.bool_] = np.all(data.done[cells] > 0, axis=0)
            shared = shared if problems is None else shared & problems
            if shared.any():
                found.append(_curve(data, mode, family, cells, shared, margin))
    return found


def _curve(
    data: Data, mode: str, family: str, cells: list[int], shared: NDArray[np.bool_], margin: float
) -> Curve:
    alpha = np.array([data.cells[i].alpha for i in cells], dtype=np.float64)
    clusters = data.clusters[shared]
    weights = bootstrap_weights(clusters, REPLICATES, np.random.default_rng(SEED))
    groups = len(np.unique(clusters))
    done = data.done[cells][:, shared]

    def of(outcome: int) -> NDArray[np.float64]:
        return rates(data.counts[cells][:, shared, outcome], done)

    slow, wrong, good = of(OPTIMIZATION), of(CORRECTNESS), of(SOLVED)
    return Curve(
        mode, family, tuple(cells), alpha, int(shared.sum()),
        trend(alpha, slow, weights, groups),
        trend(alpha, wrong, weights, groups),
        trend(alpha, good, weights, groups),
        tuple(positions(alpha, slow, wrong, weights, groups, margin)),
        flatness(alpha, good, clusters, margin),
    )  # fmt: skip


def frontier(data: Data, found: Sequence[Curve], margin: float) -> Section:
    blocks: list[Block] = []
    if not found:
        blocks.append(
            Prose(
                ("No family has two finished checkpoints in one mode: there is no curve along α.",)
            )
        )
    blocks += _pictures(data)
    blocks += _pictures_by_difficulty(data)
    blocks += [_along(data, family) for family in data.families]
    if found:
        blocks += [_trends(found)]
        blocks += [_positions(found, margin)] if any(c.positions for c in found) else []
        blocks += [_flat(found, margin)]
        blocks += _by_difficulty(data, margin)
    return Section("frontier", "Frontier", tuple(blocks))


def _pictures_by_difficulty(data: Data) -> list[Block]:
    """The same curves over the problems of one difficulty at a time."""
    if len(data.difficulties) < 2:
        return []
    level = np.array([problem.difficulty for problem in data.problems])
    return [b for name in data.difficulties for b in _pictures(data, level == name, name)]


def _pictures(
    data: Data, problems: NDArray[np.bool_] | None = None, difficulty: str = ""
) -> list[Block]:
    """One picture a family, and one for the models that belong to none."""
    out: list[Block] = []
    chosen = slice(None) if problems is None else problems
    for family in (*data.families, ""):
        series, rows = [], []
        for number, mode in enumerate(data.modes):
            members = data.curve(mode, family) if family else _without_curve(data, mode)
            cells = [i for i in members if data.done[i, chosen].any()]
            marks = []
            for i in cells:
                cell = data.cells[i]
                wrong = cell_rate(data, i, CORRECTNESS, problems)
                slow = cell_rate(data, i, OPTIMIZATION, problems)
                total = int(data.done[i, chosen].sum())
                name = (
                    show(cell.alpha, "exact") if cell.alpha is not None and family else cell.label
                )
                tip = (
                    f"{cell.label}, {mode}\noptimization failures {show(slow, 'rate')} %\n"
                    f"correctness failures {show(wrong, 'rate')} %\nn = {total:,}"
                )
                marks.append(
                    svg.Mark(
                        slow.value,
                        wrong.value,
                        slow.low,
                        slow.high,
                        wrong.low,
                        wrong.high,
                        tip,
                        name,
                    )
                )
                rows.append((mode, cell.label, cell.alpha, total, slow, wrong))
            if marks:
                series.append(svg.Series(mode, tuple(marks), number, number, line=bool(family)))
        if not series:
            continue
        marks_all = [m for s in series for m in s.marks]
        x = svg.span([v for m in marks_all for v in (m.x, m.x_low, m.x_high)], floor=0.0)
        y = svg.span([v for m in marks_all for v in (m.y, m.y_low, m.y_high)], floor=0.0)
        picture = svg.chart(
            "Frontier", svg.Axis("optimization failures", *x, percent=True),
            svg.Axis("correctness failures", *y, percent=True), series, height=440,
        )  # fmt: skip
        key = f"frontier_{family}" if family else "frontier_models"
        title = (
            f"Frontier of {family}, labelled by α" if family else "Failures of models on no curve"
        )
        if difficulty:
            key, title = f"{key}_{difficulty}", f"{title}: {difficulty} problems"
        columns = ["mode", "model", "α:exact", "n:count",
                   "optimization failures:rate", "correctness failures:rate"]  # fmt: skip
        out.append(
            Figure(key, title, picture, table(key, title, columns, rows),
                   "Towards the lower left is better in both. Bars: 95 % intervals over problems.")
        )  # fmt: skip
    return out


def _without_curve(data: Data, mode: str) -> list[int]:
    """The cells of a mode that are on no family's curve."""
    on_curves = {i for family in data.families for i in data.curve(mode, family)}
    return [i for i, c in enumerate(data.cells) if c.mode == mode and i not in on_curves]


def _along(data: Data, family: str) -> Figure:
    """Solve rate and both failure rates against α, one colour a mode."""
    kinds = ((SOLVED, "solved"), (OPTIMIZATION, "optimization"), (CORRECTNESS, "correctness"))
    series: list[svg.Series] = []
    rows: list[tuple[Value, ...]] = []
    for colour, mode in enumerate(data.modes):
        cells = [i for i in data.curve(mode, family) if data.done[i].any()]
        for marker, (kind, name) in enumerate(kinds):
            marks = []
            for i in cells:
                e, alpha = cell_rate(data, i, kind), float(data.cells[i].alpha or 0)
                tip = f"{data.cells[i].label}, {mode}\n{name} {show(e, 'rate')} %"
                marks.append(svg.Mark(alpha, e.value, y_low=e.low, y_high=e.high, tip=tip))
                rows.append((mode, data.cells[i].label, alpha, name, int(data.done[i].sum()), e))
            if marks:
                name = f"{mode}, {name}"
                dashed = kind == CORRECTNESS
                series.append(svg.Series(name, tuple(marks), colour, marker, dashed))
    alphas = [m.x for s in series for m in s.marks]
    low, high = svg.span(alphas, pad=0.04)
    values = [v for s in series for m in s.marks for v in (m.y_low, m.y, m.y_high)]
    ticks = tuple((x, show(x, "exact")) for x in sorted(set(alphas)))
    x = svg.Axis("α", low, high, ticks=ticks if len(ticks) <= 13 else ())
    y = svg.Axis("share of attempts", *svg.span(values, floor=0.0), percent=True)
    key, title = f"along_{family}", f"Rates along α, {family}"
    columns = ["mode", "model", "α:exact", "rate of", "n:count", "share:rate"]
    picture = svg.chart(title, x, y, series, height=440)
    note = (
        "Circles: solved; squares: optimization failures; triangles, dashed: correctness failures."
    )
    return Figure(key, title, picture, table(key, title, columns, rows), note)


def _trends(found: Sequence[Curve]) -> Block:
    rows: list[tuple[Value, ...]] = []
    for c in found:
        for what, t in (
            ("optimization failures", c.optimization),
            ("correctness failures", c.correctness),
            ("solved", c.solve),
        ):
            rows.append(
                (
                    c.family,
                    c.mode,
                    what,
                    len(c.alpha),
                    c.problems,
                    t.tau,
                    t.slope,
                    t.step_up,
                    t.step_down,
                )
            )
    return table(
        "trends", "Trend along α",
        ["family", "mode", "rate of", "checkpoints:count",
         "problems:count", "Kendall τ:signed", "slope per unit α:points",
         "largest rise:points", "largest fall:points"],
        rows,
        "τ = 1: rises at every step along α; τ = −1: falls at every step. 95 % intervals: bootstrap"
        " over problems, the same problems for every α. Rise and fall: between neighbouring α.",
    )  # fmt: skip


def _positions(found: Sequence[Curve], margin: float) -> Block:
    rows: list[tuple[Value, ...]] = [
        (c.family, c.mode, p.alpha, c.problems, p.along, p.below, p.verdict)
        for c in found
        for p in c.positions
    ]
    return table(
        "positions", "Other checkpoints against the segment from α = 0 to α = 1",
        ["family", "mode", "α:exact", "problems:count", "along:signed",
         "below the line:points", "reading"],
        rows,
        "Along: projection on the segment, 0 at α = 0, 1 at α = 1. Below: distance from its line"
        " towards fewer failures. A position is called beyond, better or worse only when the 95 %"
        f" interval says so, and “on” only when that interval is within ±{100 * margin:g} points.",
    )  # fmt: skip


def _flat(found: Sequence[Curve], margin: float) -> Block:
    rows: list[tuple[Value, ...]] = []
    for c in found:
        f = c.flatness
        if f is None:
            rows.append((c.family, c.mode, c.problems, "–", None, "undecided: one problem"))
            continue
        rows.append(
            (
                c.family,
                c.mode,
                c.problems,
                f"α = {show(f.pair[0], 'exact')} → {show(f.pair[1], 'exact')}",
                f.widest,
                _reading(f),
            )
        )
    return table(
        "flatness", f"Is the solve rate the same at every α? (margin {100 * margin:g} points)",
        ["family", "mode", "problems:count", "widest pair", "difference:points", "reading"],
        rows,
        "Two one-sided paired t tests at 5 % for every pair of checkpoints (brackets: 90 %"
        " interval); “flat” needs all pairs inside the margin.",
    )  # fmt: skip


def _reading(f: Flatness) -> str:
    if f.flat:
        return "flat within the margin"
    if f.differs:
        return "not flat"
    return "undecided: neither equivalence nor a difference beyond the margin is shown"


def _by_difficulty(data: Data, margin: float) -> list[Block]:
    if len(data.difficulties) < 2:
        return []
    level = np.array([problem.difficulty for problem in data.problems])
    rows: list[tuple[Value, ...]] = []
    for difficulty in data.difficulties:
        for c in curves(data, margin, level == difficulty):
            rows.append(
                (difficulty, c.family, c.mode, c.problems, c.optimization.slope, c.optimization.tau,
                 c.correctness.slope, c.correctness.tau, c.solve.slope,
                 "; ".join(f"α = {show(p.alpha, 'exact')} {p.verdict}" for p in c.positions),
                 "–" if c.flatness is None else _reading(c.flatness))
            )  # fmt: skip
    return [
        table(
            "trends_by_difficulty", "Trend along α by difficulty",
            ["difficulty", "family", "mode", "problems:count",
             "optimization, slope:points", "optimization, τ:signed",
             "correctness, slope:points", "correctness, τ:signed", "solved, slope:points",
             "against the segment", "solve rate"],
            rows,
        )
    ]  # fmt: skip
