"""The summary in words: it states only what the intervals support, and says where they do not."""

from __future__ import annotations

from collections.abc import Sequence

from agent.report.combine import Data
from agent.report.document import Block, Prose, Section, show
from agent.report.metrics.intervals import Estimate
from agent.report.read import SOLVED
from agent.report.sections.frontier import Curve
from agent.report.sections.modes import cell_rate
from agent.report.sections.passk import Headline


def answer(data: Data, found: Sequence[Curve], best: Sequence[Headline], margin: float) -> Section:
    """The report in a few sentences."""
    blocks: list[Block] = []
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
    sentences = [*_best(data)]
    for curve in found:
        sentences += _frontier(curve)
        sentences += _extrapolation(curve)
        sentences += _flat(curve, margin)
    sentences += [_ensemble(h) for h in best if h.budget > 1]
    blocks.append(Prose(tuple(sentences), "answer"))
    return Section("answer", "Answer", tuple(blocks))


def _percent(e: Estimate) -> str:
    if not e.known:
        return f"{show(e.value, 'rate')} % (no interval: {e.reason})"
    return f"{show(e.value, 'rate')} % [{show(e.low, 'rate')}, {show(e.high, 'rate')}]"


def _best(data: Data) -> list[str]:
    out = []
    for mode in data.modes:
        cells = [i for i, c in enumerate(data.cells) if c.mode == mode and data.done[i].any()]
        if not cells:
            out.append(f"{mode}: no finished attempt.")
            continue
        best = max(cells, key=lambda i: cell_rate(data, i, SOLVED).value)
        rate = cell_rate(data, best, SOLVED)
        n = f"n = {int(data.done[best].sum()):,} attempts on {rate.n} problems"
        which = "highest solve rate" if len(cells) > 1 else "solve rate"
        out.append(f"{mode}: {which} {_percent(rate)}, {data.cells[best].label} ({n}).")
    return out


def _frontier(c: Curve) -> list[str]:
    slow, wrong = c.optimization, c.correctness
    span = f"from α = {c.alpha[0]:g} to {c.alpha[-1]:g}"
    parts = [
        _direction("optimization failures", slow.tau),
        _direction("correctness failures", wrong.tau),
    ]
    trade = slow.slope.known and wrong.slope.known and slow.slope.high < 0 < wrong.slope.low
    head = "a trade-off shows" if trade else "no trade-off is shown"
    return [f"{c.name}: {head} {span}: {' and '.join(parts)} ({c.problems} problems)."]


def _direction(what: str, tau: Estimate) -> str:
    text = f"τ = {show(tau, 'signed')}"
    if not tau.known:
        return f"{what}: no interval"
    if tau.low > 0:
        return f"{what} rise ({text})"
    if tau.high < 0:
        return f"{what} fall ({text})"
    return f"{what} show no direction ({text})"


def _extrapolation(c: Curve) -> list[str]:
    out = []
    for label, chosen in (
        ("extrapolated", [p for p in c.positions if not 0 < p.alpha < 1]),
        ("interpolated", [p for p in c.positions if 0 < p.alpha < 1]),
    ):
        if chosen:
            said = "; ".join(f"α = {p.alpha:g} {p.verdict}" for p in chosen)
            out.append(f"{c.name}, {label} checkpoints: {said}.")
    return out


def _flat(c: Curve, margin: float) -> list[str]:
    f = c.flatness
    if f is None:
        return []
    pair = f"α = {f.pair[0]:g} → {f.pair[1]:g}: {show(f.widest, 'points')} points, 90 % interval"
    within = f"flat within ±{100 * margin:g} points"
    if f.flat:
        return [f"{c.name}: the solve rate is {within} (widest pair {pair})."]
    if f.differs:
        return [f"{c.name}: the solve rate is not flat ({pair})."]
    return [f"{c.name}: whether the solve rate is {within} is undecided ({pair})."]


def _ensemble(h: Headline) -> str:
    """The headline of deployment: the ensemble minus the best single checkpoint."""
    head = f"{h.name}, pass@{h.budget}: uniform ensemble over {h.members} checkpoints"
    if not h.gain_fair.known:
        return f"{head} {_percent(h.uniform)}, best single {_percent(h.single)}."
    gain = show(h.gain_fair, "points")
    reading = (
        "gains" if h.gain_fair.low > 0 else "loses" if h.gain_fair.high < 0
        else "is not shown to differ"
    )  # fmt: skip
    return (
        f"{head} minus best single (chosen on other problems) {gain} points: the ensemble"
        f" {reading}; against {h.single_name}, the best one in hindsight: {show(h.gain, 'points')}."
    )
