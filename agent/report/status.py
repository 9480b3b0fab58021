"""The grid of a run while it is going on: what is done, what is owed, and until when."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.report.read import connect

WINDOW_S = 900.0  # the pace is what happened in this time before the newest result


@dataclass(frozen=True, slots=True)
class CellStatus:
    """One model in one mode. `eta_s`: seconds until done at the present pace, None if unknown."""

    run: str
    model: str
    mode: str
    planned: int
    generated: int
    done: int
    solved: int
    correctness_failures: int
    optimization_failures: int
    no_submission: int
    errors: int
    eta_s: float | None

    @property
    def owed(self) -> int:
        return self.planned - self.done


def status(runs: Sequence[Path], *, now: float | None = None) -> list[CellStatus]:
    """The cells of all runs, in the order of their plans."""
    moment = time.time() if now is None else now
    found = []
    for path in runs:
        with connect(path) as db:
            found += _cells(db, path.resolve().name, moment)
    return found


def _cells(db: sqlite3.Connection, name: str, now: float) -> list[CellStatus]:
    newest = db.execute("SELECT MAX(ended_at) FROM generations").fetchone()[0]
    since = (newest or now) - WINDOW_S
    errors = dict(
        db.execute(
            "SELECT a.cell, COUNT(*) FROM errors e JOIN attempts a ON a.id = e.attempt"
            " GROUP BY a.cell"
        ).fetchall()
    )
    rows = db.execute(
        """
        SELECT c.id, c.model, c.mode, COUNT(*), COUNT(g.attempt),
          SUM(g.attempt IS NOT NULL AND (g.submission IS NULL OR j.id IS NOT NULL)),
          SUM(j.outcome IS 'solved'), SUM(j.outcome IS 'correctness_failure'),
          SUM(j.outcome IS 'optimization_failure'),
          SUM(g.attempt IS NOT NULL AND g.submission IS NULL),
          SUM(g.ended_at > ?), MIN(CASE WHEN g.ended_at > ? THEN g.ended_at END)
        FROM attempts a JOIN cells c ON c.id = a.cell
        LEFT JOIN generations g ON g.attempt = a.id
        LEFT JOIN judgements j
          ON j.judging = 1 AND j.problem = a.problem AND j.submission = g.submission
        GROUP BY c.id ORDER BY c.id
        """,
        (since, since),
    )
    found = []
    for cell, model, mode, planned, generated, done, good, wrong, slow, none, recent, first in rows:
        left = planned - done
        eta = 0.0 if left == 0 else None
        if left and recent and recent > 1 and now - newest < WINDOW_S:
            eta = left * (now - first) / recent
        counts = (planned, generated, done, good, wrong, slow, none, errors.get(cell, 0))
        found.append(CellStatus(name, model, mode, *counts, eta))
    return found


def duration(seconds: float | None) -> str:
    """Seconds as "2 h 05 min"; "–" when unknown."""
    if seconds is None:
        return "–"
    if seconds < 1:
        return "done"
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60:02d} min"
