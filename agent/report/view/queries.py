"""What the viewer asks of a run: one page at a time, never the whole table."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from agent.report.read import FILE, OUTCOMES, VERDICTS, connect
from agent.report.transcript import Step, shorten, steps, unpack, visible
from agent.report.view.highlight import tokens

PAGE = 100
TEXT_PAGE = 500_000  # characters of a long text that come at once
_SOURCE = 200_000

_JOIN = """
    FROM attempts a JOIN cells c ON c.id = a.cell JOIN problems p ON p.id = a.problem
    LEFT JOIN generations g ON g.attempt = a.id
    LEFT JOIN judgements j
      ON j.judging = 1 AND j.problem = a.problem AND j.submission = g.submission
"""
_OUTCOME = """
    CASE WHEN g.attempt IS NULL THEN 'owed' WHEN g.submission IS NULL THEN 'no_submission'
    ELSE IFNULL(j.outcome, 'owed') END
"""
_FILTERS = {
    "model": "c.model = ?",
    "mode": "c.mode = ?",
    "problem": "p.name = ?",
    "outcome": f"{_OUTCOME} = ?",
    "verdict": "j.verdict = ?",
    "end": 'g."end" = ?',
}


@dataclass(frozen=True, slots=True)
class Folder:
    """The runs below one folder; a name is a path relative to it and never leaves it."""

    root: Path

    def names(self) -> list[str]:
        """Runs in the folder itself, its children and their children."""
        found = []
        for pattern in (FILE, f"*/{FILE}", f"*/*/{FILE}"):
            for path in sorted(self.root.glob(pattern)):
                found.append(path.parent.relative_to(self.root).as_posix())
        return found

    def path(self, name: str) -> Path | None:
        """The folder of a run, None for a name that is not one of `names`."""
        return self.root / name if name in self.names() else None

    def title(self, name: str) -> str:
        return self.root.resolve().name if name == "." else name


def overview(folder: Folder) -> list[dict[str, Any]]:
    """Every run with its counts; one that cannot be read says why."""
    runs: list[dict[str, Any]] = []
    for name in folder.names():
        path = folder.root / name
        entry: dict[str, Any] = {"name": name, "title": folder.title(name)}
        try:
            with connect(path) as db:
                planned, generated = db.execute(
                    "SELECT (SELECT COUNT(*) FROM attempts), (SELECT COUNT(*) FROM generations)"
                ).fetchone()
                cells = db.execute("SELECT COUNT(*) FROM cells").fetchone()[0]
                last = db.execute("SELECT MAX(ended_at) FROM generations").fetchone()[0]
            entry |= {"planned": planned, "generated": generated, "cells": cells, "last": last}
        except Exception as error:
            entry["error"] = str(error)
        runs.append(entry)
    return runs


def grid(path: Path) -> dict[str, Any]:
    """Models x modes with counts of outcomes, and the values that filters can take."""
    with connect(path) as db:
        rows = db.execute(
            f"""
            SELECT c.model, c.mode, {_OUTCOME} AS outcome, COUNT(*) {_JOIN}
            GROUP BY a.cell, outcome ORDER BY c.family, c.alpha, c.model, c.id
            """
        ).fetchall()
        cells: dict[tuple[str, str], dict[str, Any]] = {}
        for model, mode, outcome, count in rows:
            cell = cells.setdefault((model, mode), {"model": model, "mode": mode})
            cell[outcome] = count
        problems = db.execute("SELECT name, title, difficulty FROM problems ORDER BY id").fetchall()
        errors = db.execute("SELECT COUNT(*) FROM errors").fetchone()[0]
    models = list(dict.fromkeys(model for model, _ in cells))
    modes = list(dict.fromkeys(mode for _, mode in cells))
    order = ("reasoning", "tool_use", "agentic")
    modes.sort(key=lambda m: (order.index(m) if m in order else 9, m))
    return {
        "cells": list(cells.values()),
        "models": models,
        "modes": modes,
        "problems": [{"name": n, "title": visible(t), "difficulty": d} for n, t, d in problems],
        "outcomes": list(OUTCOMES),
        "verdicts": [v for v in VERDICTS if v],
        "errors": errors,
    }


def attempts(path: Path, filters: Mapping[str, str], after: int) -> dict[str, Any]:
    """At most a page of attempts with an id above `after`, in order of the plan."""
    chosen = {key: value for key, value in filters.items() if key in _FILTERS and value}
    where = " AND ".join(["a.id > ?", *(_FILTERS[key] for key in chosen)])
    with connect(path) as db:
        rows = db.execute(
            f"""
            SELECT a.id, c.model, c.mode, p.name, a.sample, {_OUTCOME}, j.verdict, g."end",
                   g.completion_tokens, g.turns, g.wall_s {_JOIN}
            WHERE {where} ORDER BY a.id LIMIT ?
            """,
            (after, *chosen.values(), PAGE + 1),
        ).fetchall()
    names = ("id", "model", "mode", "problem", "sample", "outcome", "verdict", "end",
             "tokens", "turns", "wall_s")  # fmt: skip
    page = [dict(zip(names, row, strict=True)) for row in rows[:PAGE]]
    return {"rows": page, "more": len(rows) > PAGE}


def attempt(path: Path, number: int) -> dict[str, Any] | None:
    """One attempt with its transcript, submission and verdicts; None when there is none."""
    with connect(path) as db:
        db.row_factory = sqlite3.Row
        row = db.execute(
            f"""
            SELECT a.id, c.model, c.mode, p.name AS problem, p.title, p.time_limit_s,
                   p.memory_limit_bytes, a.sample, a.seed, {_OUTCOME} AS outcome, j.verdict,
                   j.id AS judgement, g."end", g.prompt_tokens, g.completion_tokens,
                   g.reasoning_tokens, g.turns, g.tool_calls, g.wall_s, g.working_s, g.notes,
                   g.submission, j.detail, p.id AS problem_id {_JOIN} WHERE a.id = ?
            """,
            (number,),
        ).fetchone()
        if row is None:
            return None
        values = dict(row)
        detail = _mapping(values.pop("detail"))
        values["time_limit_s"] = detail.get("time_limit_s") or values["time_limit_s"]
        judgement, submission = values.pop("judgement"), values.pop("submission")
        problem = values.pop("problem_id")
        values["title"] = visible(values["title"])
        values["notes"] = visible(values["notes"] or "")
        stored = db.execute("SELECT body FROM transcripts WHERE attempt = ?", (number,)).fetchone()
        return {
            **values,
            "steps": [_step(s) for s in steps(unpack(stored[0]))] if stored else [],
            "submission": _submission(db, submission),
            "tests": _tests(db, judgement, problem, detail) if judgement else [],
            "siblings": _siblings(db, number, values["problem"], values["sample"]),
            "compile_output": shorten(str(detail.get("compile_output") or ""))[0],
            "errors": [
                {"stage": e["stage"], "message": visible(e["message"])}
                for e in db.execute(
                    "SELECT stage, message FROM errors WHERE attempt = ? LIMIT 20", (number,)
                )
            ],
        }


def _siblings(
    db: sqlite3.Connection, number: int, problem: str, sample: int
) -> list[dict[str, Any]]:
    """The same problem and sample in the other cells: what one wants to see beside it."""
    rows = db.execute(
        f"""
        SELECT a.id, c.model, c.mode, {_OUTCOME} AS outcome, j.verdict {_JOIN}
        WHERE p.name = ? AND a.problem = p.id AND a.sample = ? AND a.id <> ?
        ORDER BY c.mode, c.alpha, c.model LIMIT 200
        """,
        (problem, sample, number),
    )
    return [dict(row) for row in rows]


def _mapping(text: str | None) -> dict[str, Any]:
    value = json.loads(text) if text else {}
    return value if isinstance(value, dict) else {}


def _step(step: Step) -> dict[str, Any]:
    value = asdict(step)
    value["texts"] = []
    for text in step.texts:
        body, missing = shorten(text.body)
        value["texts"].append(
            {"label": visible(text.label), "body": body, "missing": missing, "folded": text.folded}
        )
    value["title"] = visible(step.title)
    return value


def _submission(db: sqlite3.Connection, submission: int | None) -> dict[str, Any] | None:
    row = db.execute(
        "SELECT language, source FROM submissions WHERE id = ?", (submission,)
    ).fetchone()
    if row is None:
        return None
    cut = row["source"][:_SOURCE]
    missing = len(row["source"]) - len(cut)
    return {
        "language": row["language"],
        "tokens": tokens(visible(cut), row["language"]),
        "missing": missing,
    }


def _tests(
    db: sqlite3.Connection, judgement: int, problem: int, detail: Mapping[str, Any]
) -> list[dict[str, Any]]:
    messages = detail.get("messages")
    said = messages if isinstance(messages, dict) else {}
    rows = db.execute(
        """
        SELECT t.name, t.input_bytes, t.sample, r.verdict, r.cpu_s, r.wall_s, r.peak_bytes
        FROM problem_tests t
        LEFT JOIN test_results r ON r.judgement = ? AND r.position = t.position
        WHERE t.problem = ? ORDER BY t.position
        """,
        (judgement, problem),
    )
    return [
        {
            **dict(r),
            "verdict": r["verdict"] or "SK",
            "message": visible(str(said.get(r["name"], ""))),
        }
        for r in rows
    ]


def full_text(path: Path, number: int, step: int, text: int, offset: int) -> dict[str, Any] | None:
    """A page of one text of a transcript, for what `attempt` left out."""
    with connect(path) as db:
        stored = db.execute("SELECT body FROM transcripts WHERE attempt = ?", (number,)).fetchone()
    if stored is None:
        return None
    found = steps(unpack(stored[0]))
    if not 0 <= step < len(found) or not 0 <= text < len(found[step].texts) or offset < 0:
        return None
    body = found[step].texts[text].body
    part = body[offset : offset + TEXT_PAGE]
    return {"body": visible(part), "next": offset + len(part), "total": len(body)}
