"""The summary in words: it states only what the intervals support, and says where they do not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

from agent.report.combine import Data
from agent.report.document import Block, Facts, Prose, Section, show
from agent.report.metrics.counts import rates
from agent.report.metrics.intervals import Estimate, holm, mean_p_value
from agent.report.read import CORRECTNESS, OPTIMIZATION, SOLVED
from agent.report.sections.frontier import Curve
from agent.report.sections.modes import cell_rate
from agent.report.sections.passk import Headline


def answer(data: Data, found: Sequence[Curve], best: Sequence[Headline], margin: float) -> Section:
    """The report in a few sentences."""
    blocks: list[Block] = [_facts(data)]
    if not data.complete or data.planned == 0:
        owed = data.planned - data.finished
        said = (
            f"Incomplete: {data.finished:,} of {data.planned:,} attempts are done, {owed:,} are"
            " owed. Every statement below is about the finished ones only."
        )
        blocks.append(Prose((said,), "warning"))
    if not data.finished:
        blocks.append(Prose(("There is no finished attempt yet, so there is nothing to say.",)))
        return Section("answer", "Answer", tuple(blocks))
    items = [_cells(data, mode) for mode in data.modes] + _between_modes(data)
    for curve in found:
        ensemble = [_ensemble(h) for h in best if h.name == curve.name and h.budget > 1]
        lines = [_frontier(curve), *_positions(curve), *_flat(curve, margin), *ensemble]
        items.append("\n".join([f"{curve.name}: the curve along α", *lines]))
    if not data.complete:
        items = [f"Incomplete. {item}" for item in items]
    blocks.append(Prose(tuple(items), "answer"))
    return Section("answer", "Answer", tuple(blocks))


def _facts(data: Data) -> Facts:
    errors = sum(t.count for run in data.runs for t in run.trouble)
    numbers = (
        ("planned", data.planned), ("done", data.finished),
        ("owed", data.planned - data.finished), ("infrastructure errors", errors),
        ("problems", len(data.problems)), ("models", len(data.models)),
        ("modes", len(data.modes)),
    )  # fmt: skip
    return Facts(tuple((what, f"{value:,}") for what, value in numbers))


def _percent(e: Estimate) -> str:
    if not e.known:
        return f"{show(e.value, 'rate')} % (no interval: {e.reason})"
    return f"{show(e.value, 'rate')} % [{show(e.low, 'rate')}, {show(e.high, 'rate')}]"


def _cells(data: Data, mode: str) -> str:
    """The model of a mode with the highest solve rate, and how it fails."""
    cells = [i for i, c in enumerate(data.cells) if c.mode == mode and data.done[i].any()]
    if not cells:
        return f"{mode}: no finished attempt"
    solved = {i: cell_rate(data, i, SOLVED) for i in cells}
    best = max(cells, key=lambda i: solved[i].value)
    lower = sum(best in pair for pair in _different(data, list(combinations(cells, 2))))
    n = f"n = {int(data.done[best].sum()):,} attempts on {solved[best].n} problems"
    most = (
        f", the highest of {len(cells)} models; {lower} of the other {len(cells) - 1}"
        f" {'is' if lower == 1 else 'are'} shown to be lower"
        if len(cells) > 1 else ""
    )  # fmt: skip
    slow, wrong = cell_rate(data, best, OPTIMIZATION), cell_rate(data, best, CORRECTNESS)
    return (
        f"{mode}: {data.cells[best].label} solves {_percent(solved[best])}{most}\n"
        f"It fails by wrong answers in {_percent(wrong)} and by time or memory in"
        f" {_percent(slow)} ({n})."
    )


def _different(data: Data, pairs: Sequence[tuple[int, int]]) -> dict[tuple[int, int], float]:
    """The pairs of cells shown to differ, and by how much second minus first solves.

    Cluster-robust paired t on shared problems, Holm over all pairs: valid whatever is picked.
    """
    p, change = [], []
    for a, b in pairs:
        both = (data.done[a] > 0) & (data.done[b] > 0)
        first, second = (rates(data.counts[i, both, SOLVED], data.done[i, both]) for i in (a, b))
        change.append(float((second - first).mean()) if both.any() else math.nan)
        p.append(mean_p_value(second - first, data.clusters[both]) if both.any() else math.nan)
    shown = holm(p) < 0.05
    return {pair: c for pair, c, yes in zip(pairs, change, shown, strict=True) if yes}


def _between_modes(data: Data) -> list[str]:
    """In how many models one mode is shown to solve more than another."""
    said = []
    by_mode = {m: [i for i, c in enumerate(data.cells) if c.mode == m] for m in data.modes}
    pairs = [
        (a, b)
        for one, other in combinations(data.modes, 2)
        for a in by_mode[one]
        for b in by_mode[other]
        if data.cells[a].label == data.cells[b].label and data.done[[a, b]].any(axis=1).all()
    ]
    shown = _different(data, pairs)
    for one, other in combinations(data.modes, 2):
        own = [(a, b) for a, b in pairs if (data.cells[a].mode, data.cells[b].mode) == (one, other)]
        if own:
            more = sum(shown.get(pair, 0.0) > 0 for pair in own)
            less = sum(shown.get(pair, 0.0) < 0 for pair in own)
            models = f"{len(own)} model{'s' * (len(own) > 1)}"
            said.append(
                f"{other} is shown to solve more than {one} in {more} of {models}, less in {less}."
            )
    head = "Modes, model by model on the same problems (Holm-corrected)"
    return ["\n".join([head, *said])] if said else []


def _frontier(c: Curve) -> str:
    slow, wrong = c.optimization, c.correctness
    span = f"from α = {show(c.alpha[0], 'exact')} to {show(c.alpha[-1], 'exact')}"
    parts = [
        _direction("optimization failures", slow.tau),
        _direction("correctness failures", wrong.tau),
    ]
    trade = slow.slope.known and wrong.slope.known and slow.slope.high < 0 < wrong.slope.low
    head = "A trade-off shows" if trade else "No trade-off is shown"
    return f"{head} {span}: {' and '.join(parts)} ({c.problems} problems)."


def _direction(what: str, tau: Estimate) -> str:
    text = f"τ = {show(tau, 'signed')}"
    if not tau.known:
        return f"{what}: no interval"
    if tau.low > 0:
        return f"{what} rise ({text})"
    if tau.high < 0:
        return f"{what} fall ({text})"
    return f"{what} show no direction ({text})"


def _positions(c: Curve) -> list[str]:
    if not c.positions and len(c.alpha) > 2:
        return ["Without both α = 0 and α = 1 there is no segment to compare the others with."]
    out = []
    for label, chosen in (
        ("Extrapolated", [p for p in c.positions if not 0 < p.alpha < 1]),
        ("Interpolated", [p for p in c.positions if 0 < p.alpha < 1]),
    ):
        if chosen:
            said = "; ".join(f"α = {show(p.alpha, 'exact')} {p.verdict}" for p in chosen)
            out.append(f"{label} checkpoints: {said}.")
    return out


def _flat(c: Curve, margin: float) -> list[str]:
    f = c.flatness
    if f is None:
        return []
    ends = f"α = {show(f.pair[0], 'exact')} → {show(f.pair[1], 'exact')}"
    pair = f"widest pair {ends}: {show(f.widest, 'points')} points, 90 % interval"
    within = f"flat within ±{100 * margin:g} points"
    if f.flat:
        return [f"The solve rate is {within} ({pair})."]
    if f.differs:
        return [f"The solve rate is not flat ({pair})."]
    return [f"Whether the solve rate is {within} is undecided ({pair})."]


def _ensemble(h: Headline) -> str:
    """The headline of deployment: the ensemble minus the best single checkpoint."""
    head = f"pass@{h.budget}, uniform ensemble over {h.members} checkpoints"
    if not h.gain_fair.known:
        return f"{head}: {_percent(h.uniform)}, best single {_percent(h.single)}."
    gain = show(h.gain_fair, "points")
    reading = (
        "gains" if h.gain_fair.low > 0 else "loses" if h.gain_fair.high < 0
        else "is not shown to differ"
    )  # fmt: skip
    return (
        f"{head} minus best single (chosen on other problems) {gain} points (n = {h.problems}"
        " problems): the ensemble"
        f" {reading}; against {h.single_name}, the best one in hindsight: {show(h.gain, 'points')}."
    )
