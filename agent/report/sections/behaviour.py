"""How the programs themselves change along alpha, read from their text."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from agent.report.combine import Data
from agent.report.document import Block, Listing, Prose, Section, SideBySide, Value, table
from agent.report.metrics.features import STRUCTURES
from agent.report.read import CORRECTNESS, OPTIMIZATION, SOLVED, VERDICTS
from agent.report.submissions import Seen, draw, examine, sources

_EXAMPLES = 3
_CONTRASTS = (
    (OPTIMIZATION, CORRECTNESS),
    (OPTIMIZATION, SOLVED),
    (SOLVED, CORRECTNESS),
    (CORRECTNESS, SOLVED),
    (SOLVED, OPTIMIZATION),
)
_CUT = 6000  # characters of an example


def behaviour(data: Data, budget: int) -> Section:
    """Features of about `budget` submissions, and examples side by side."""
    rows = draw(data, budget)
    if not len(rows) or budget <= 0:
        return Section("behaviour", "Behaviour", (Prose(("No submission to read.",)),))
    seen = examine(data, rows)
    blocks: list[Block] = [_shape(data, seen), _structures(data, seen)]
    blocks += _examples(data)
    return Section("behaviour", "Behaviour", tuple(blocks))


def _per_cell(data: Data, seen: Sequence[Seen]) -> list[tuple[int, list[Seen]]]:
    groups: dict[int, list[Seen]] = {}
    for one in seen:
        groups.setdefault(int(data.attempts.cell[one.row]), []).append(one)
    return sorted(groups.items())


def _mean(values: Sequence[float]) -> float:
    known = [v for v in values if not math.isnan(v)]
    return sum(known) / len(known) if known else math.nan


def _shape(data: Data, seen: Sequence[Seen]) -> Block:
    rows: list[tuple[Value, ...]] = []
    for i, group in _per_cell(data, seen):
        parsed = [s for s in group if s.features.parsed]
        failed = [s for s in parsed if data.attempts.outcome[s.row] in (CORRECTNESS, OPTIMIZATION)]
        measured = [s.growth for s in group if not math.isnan(s.growth)]
        rows.append(
            (data.cells[i].mode, data.cells[i].label, len(group),
             _mean([s.features.lines for s in group]),
             _mean([s.features.loop_depth for s in parsed]),
             _mean([float(s.features.brute_force) for s in parsed]),
             _mean([float(s.features.brute_force) for s in failed]), len(failed),
             _mean(measured), len(measured), len(group) - len(parsed))
        )  # fmt: skip
    return table(
        "behaviour", "Shape of the programs",
        ["mode", "model", "read:count", "lines:number", "loop nesting:number", "brute force:rate",
         "brute force among failures:rate", "failures read:count", "growth exponent:number",
         "measured:count", "not parsed:count"],
        rows,
        "Read from a random sample of submissions, equally many a cell; means over the sample."
        " Brute force: nested loops or enumeration and none of the structures that save work."
        " Growth exponent: slope of log time on log input length over passed tests above the noise"
        " of the start-up.",
    )  # fmt: skip


def _structures(data: Data, seen: Sequence[Seen]) -> Block:
    rows: list[tuple[Value, ...]] = []
    for i, group in _per_cell(data, seen):
        parsed = [s for s in group if s.features.parsed]
        shares = [
            _mean([float(name in s.features.structures) for s in parsed]) for name in STRUCTURES
        ]
        rows.append((data.cells[i].mode, data.cells[i].label, len(parsed), *shares))
    return table(
        "structures", "Structures and tricks in the programs",
        ["mode", "model", "read:count", *(f"{name}:rate" for name in STRUCTURES)],
        rows,
        "Share of programs in which the pattern appears. Hints, not proof.",
    )  # fmt: skip


def _examples(data: Data) -> list[Block]:
    """A problem a curve on which its two ends differ most: one program of each end.

    First of all where the lowest α is too slow and the highest one wrong; else where only one end
    solves; in a report with no such problem there is nothing to show.
    """
    out: list[Block] = []
    a = data.attempts
    for family in data.families:
        for mode in data.modes:
            cells = [i for i in data.curve(mode, family) if data.done[i].any()]
            if len(cells) < 2 or len(out) >= _EXAMPLES:
                continue
            low, high = cells[0], cells[-1]
            for before, after in _CONTRASTS:
                score = np.minimum(data.counts[low, :, before], data.counts[high, :, after])
                if len(score) and score.max() > 0:
                    break
            else:
                continue
            problem = int(np.argmax(score))
            here = (a.problem == problem) & (a.submission >= 0)
            left = np.flatnonzero(here & (a.cell == low) & (a.outcome == before))[:1]
            right = np.flatnonzero(here & (a.cell == high) & (a.outcome == after))[:1]
            pair = [int(left[0]), int(right[0])]
            texts = sources(data, pair)
            if len(texts) == 2:
                title = f"{data.problems[problem].title or data.problems[problem].name}, {mode}"
                sides = tuple(_listing(data, row, *texts[row]) for row in pair)
                out.append(SideBySide(title, sides))
    if out:
        lead = (
            "One problem at the lowest and the highest α of a curve, picked by how often the two"
            " end differently: too slow against wrong where there is such a problem."
        )
        out.insert(0, Prose((lead,)))
    return out


def _listing(data: Data, row: int, language: str, text: str) -> Listing:
    cell = data.cells[data.attempts.cell[row]]
    verdict = VERDICTS[data.attempts.verdict[row]]
    cut = text if len(text) <= _CUT else text[:_CUT] + "\n…"
    return Listing(f"{cell.label}: {verdict}, {language}", cut, folded=False)
