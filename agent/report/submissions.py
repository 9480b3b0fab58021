"""Reads the text of a sample of submissions, and how long their tests took."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from agent.judge.growth import growth
from agent.judge.verdict import TestResult, Verdict
from agent.report.combine import Data
from agent.report.metrics.features import Features, features
from agent.report.read import connect

_BATCH = 500


@dataclass(frozen=True, slots=True)
class Seen:
    """One attempt's submission, read."""

    row: int  # of data.attempts
    language: str
    features: Features
    growth: float  # NaN when it was not measured


def draw(data: Data, budget: int, seed: int = 3) -> NDArray[np.int64]:
    """About `budget` rows of attempts with a submission, equally many from every cell."""
    rng = np.random.default_rng(seed)
    rows = np.flatnonzero(data.attempts.submission >= 0)
    rows = rows[rng.permutation(len(rows))]
    rows = rows[np.argsort(data.attempts.cell[rows], kind="stable")]
    starts = np.searchsorted(data.attempts.cell[rows], np.arange(len(data.cells) + 1))
    each = max(1, budget // max(1, len(data.cells)))
    chosen = [rows[a : min(b, a + each)] for a, b in pairwise(starts)]
    return np.sort(np.concatenate(chosen)) if chosen else np.empty(0, np.int64)


def sources(data: Data, rows: Iterable[int]) -> dict[int, tuple[str, str]]:
    """(language, source) of the submissions of these rows."""
    found: dict[int, tuple[str, str]] = {}
    for run, part in _by_run(data, rows):
        with connect(data.runs[run].path) as db:
            for some in _batches(part):
                ids = [int(data.attempts.submission[r]) for r in some]
                marks = ",".join("?" * len(ids))
                query = f"SELECT id, language, source FROM submissions WHERE id IN ({marks})"
                texts = {i: (language, text) for i, language, text in db.execute(query, ids)}
                found |= {r: texts[i] for r, i in zip(some, ids, strict=True) if i in texts}
    return found


def passed_tests(data: Data, rows: Iterable[int]) -> dict[int, list[TestResult]]:
    """The tests that the submissions of these rows passed."""
    found: dict[int, list[TestResult]] = {}
    for run, part in _by_run(data, rows):
        with connect(data.runs[run].path) as db:
            for some in _batches(part):
                by_id: dict[int, list[int]] = {}
                for r in some:
                    by_id.setdefault(int(data.attempts.judgement[r]), []).append(r)
                marks = ",".join("?" * len(by_id))
                query = f"""
                    SELECT r.judgement, t.input_bytes, r.cpu_s FROM test_results r
                    JOIN judgements j ON j.id = r.judgement
                    JOIN problem_tests t ON t.problem = j.problem AND t.position = r.position
                    WHERE r.judgement IN ({marks}) AND r.verdict = 'AC'
                """
                for judgement, size, seconds in db.execute(query, list(by_id)):
                    test = TestResult("", Verdict.AC, size, seconds)
                    for r in by_id[judgement]:
                        found.setdefault(r, []).append(test)
    return found


def examine(data: Data, rows: NDArray[np.int64]) -> list[Seen]:
    """Features and growth of the submissions of these rows."""
    chosen = [int(r) for r in rows]
    texts, passed = sources(data, chosen), passed_tests(data, chosen)
    seen = []
    for row in chosen:
        if row not in texts:
            continue
        language, text = texts[row]
        fitted = growth(passed.get(row, []))
        exponent = fitted.exponent if fitted else math.nan
        seen.append(Seen(row, language, features(text, language), exponent))
    return seen


def _by_run(data: Data, rows: Iterable[int]) -> Iterator[tuple[int, list[int]]]:
    parts: dict[int, list[int]] = {}
    for row in rows:
        parts.setdefault(int(data.attempts.run[row]), []).append(row)
    yield from parts.items()


def _batches(rows: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(rows), _BATCH):
        yield rows[start : start + _BATCH]
