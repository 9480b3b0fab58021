"""Reads one run's SQLite file into NumPy columns, read-only.

Rows never become Python objects: SQLite joins and encodes them and hands over one comma-separated
string a column (`group_concat`), which NumPy parses. Everything is read inside one transaction, so
a run that is still being written gives one consistent snapshot.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.errors import UsageError
from agent.judge.verdict import Outcome, Verdict
from agent.run.schema import VERSION

FILE = "run.sqlite"
OWED, SOLVED, CORRECTNESS, OPTIMIZATION, NO_SUBMISSION = range(5)
OUTCOMES: tuple[str, ...] = (
    "owed",
    Outcome.SOLVED,
    Outcome.CORRECTNESS_FAILURE,
    Outcome.OPTIMIZATION_FAILURE,
    Outcome.NO_SUBMISSION,
)
VERDICTS: tuple[str, ...] = (
    "",
    *(v for v in Verdict if v not in (Verdict.SK, Verdict.IE)),
)
COVERAGES: tuple[str, ...] = ("1", "2", "3", "4", "5", "6", "full")  # bit 0 … bit 6

_KINDS_OF_TROUBLE = 20
_CHUNK = 250_000  # attempts that are one string at a time


@dataclass(frozen=True, slots=True)
class Attempts:
    """One entry per planned attempt, in one array a column; -1 or NaN where there is no value."""

    id: NDArray[np.int64]
    cell: NDArray[np.int32]  # index into `cells`
    problem: NDArray[np.int32]  # index into `problems`
    sample: NDArray[np.int32]
    outcome: NDArray[np.int8]  # index into OUTCOMES, attribution `first`
    any_wrong: NDArray[np.int8]  # index into OUTCOMES, attribution `any_wrong`; -1: unknown
    verdict: NDArray[np.int8]  # index into VERDICTS
    coverage: NDArray[np.int16]  # bits of COVERAGES; -1: not judged
    end: NDArray[np.int16]  # index into `ends`; -1: not generated
    prompt_tokens: NDArray[np.int64]
    completion_tokens: NDArray[np.int64]
    reasoning_tokens: NDArray[np.int64]
    turns: NDArray[np.int32]
    tool_calls: NDArray[np.int32]
    wall_s: NDArray[np.float64]
    working_s: NDArray[np.float64]
    submission: NDArray[np.int64]  # id in the run's file; -1: none
    judgement: NDArray[np.int64]  # id in the run's file; -1: none
    max_time_ratio: NDArray[np.float64]  # of the tests that passed
    run: NDArray[np.int16]  # index into the runs that are reported together

    def __len__(self) -> int:
        return len(self.id)


@dataclass(frozen=True, slots=True)
class CellRow:
    """One model in one mode, as recorded."""

    id: int
    model: str
    family: str | None
    alpha: float | None
    mode: str
    mode_hash: str
    settings: Mapping[str, Any]
    identity: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ProblemRow:
    """One problem, as recorded. `cluster`: what it stands or falls with (default: itself)."""

    id: int
    name: str
    title: str
    difficulty: str
    time_limit_s: float
    memory_limit_bytes: int
    digest: str
    cluster: str
    tests: int
    max_input_bytes: int


@dataclass(frozen=True, slots=True)
class Judging:
    id: int
    created_at: float
    settings: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Trouble:
    """Infrastructure errors of one kind, counted."""

    stage: str
    message: str
    count: int
    attempts: int


@dataclass(frozen=True, slots=True)
class RunData:
    """Everything a report needs of one run."""

    path: Path
    name: str
    meta: Mapping[str, Any]
    cells: tuple[CellRow, ...]
    problems: tuple[ProblemRow, ...]
    ends: tuple[str, ...]
    attempts: Attempts
    judgings: tuple[Judging, ...]
    trouble: tuple[Trouble, ...]
    errors_by_cell: NDArray[np.int64]  # attempts with an error, per cell


def run_file(path: Path) -> Path:
    """The SQLite file of a run given as its folder or as the file itself."""
    if path.is_dir():
        if (path / FILE).is_file():
            return path / FILE
        inside = sorted(p.parent.name for p in path.glob(f"*/{FILE}"))
        hint = f"; did you mean {path / inside[0]}?" if inside else ""
        raise UsageError(f"{path}: holds no {FILE}, so it is not a run{hint}")
    if not path.exists():
        raise UsageError(f"{path}: no such run")
    return path


@contextmanager
def connect(path: Path) -> Iterator[sqlite3.Connection]:
    """Opens a run read-only for one consistent snapshot; UsageError when it is not a run.

    Works on a run that is being written, and on one in a folder that cannot be written to.
    """
    file = run_file(path)
    try:
        db = _open(file)
    except sqlite3.Error as error:
        raise UsageError(f"{file}: is not a run ({_reason(error)})") from error
    try:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
        if not {"meta", "cells", "attempts", "generations", "judgements"} <= tables:
            raise UsageError(f"{file}: is a SQLite file but not a run (its tables are others)")
        if version > VERSION:
            raise UsageError(f"{file}: written by a newer agent (format {version}); upgrade")
        yield db
    except sqlite3.Error as error:
        raise UsageError(f"{file}: cannot be read ({_reason(error)})") from error
    finally:
        db.close()


def _open(file: Path) -> sqlite3.Connection:
    uri = f"{file.resolve().as_uri()}?mode=ro"
    try:
        return _begin(uri)
    except sqlite3.OperationalError as error:
        # A folder that cannot be written to: no shared memory for the log, but no writer either.
        if "unable to open" not in str(error) and "readonly" not in str(error):
            raise
        wal = file.with_name(file.name + "-wal")
        if wal.exists() and wal.stat().st_size:
            raise
        return _begin(f"{uri}&immutable=1")


def _begin(uri: str) -> sqlite3.Connection:
    db = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=10)
    try:
        db.execute("PRAGMA query_only = ON")
        db.execute("PRAGMA temp_store = MEMORY")
        db.execute("PRAGMA mmap_size = 2147483648")
        db.execute("BEGIN")
        db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:
        db.close()
        raise
    return db


def _reason(error: sqlite3.Error) -> str:
    return " ".join(str(error).split())


def read_run(path: Path) -> RunData:
    """Reads a run, whole or still being written. Raises UsageError when it is not one."""
    with connect(path) as db:
        file = run_file(path)
        cells = _cells(db)
        problems = _problems(db)
        found = db.execute('SELECT DISTINCT "end" FROM generations ORDER BY 1 LIMIT 100')
        ends = tuple(end for (end,) in found if isinstance(end, str) and end.isprintable())
        attempts = _attempts(db, ends, [c.id for c in cells], [p.id for p in problems])
        return RunData(
            path=file,
            name=file.parent.name if file.name == FILE else file.stem,
            meta={key: _load(value) for key, value in db.execute("SELECT key, value FROM meta")},
            cells=cells,
            problems=problems,
            ends=ends,
            attempts=attempts,
            judgings=tuple(
                Judging(i, at, _load(settings))
                for i, at, settings in db.execute("SELECT id, created_at, settings FROM judgings")
            ),
            trouble=_trouble(db),
            errors_by_cell=_errors_by_cell(db, [c.id for c in cells]),
        )


def _load(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _mapping(text: str) -> Mapping[str, Any]:
    value = _load(text)
    return value if isinstance(value, dict) else {}


def _cells(db: sqlite3.Connection) -> tuple[CellRow, ...]:
    rows = db.execute(
        "SELECT id, model, family, alpha, mode, mode_hash, settings, identity FROM cells"
        " ORDER BY id"
    )
    return tuple(
        CellRow(i, model, family, alpha, mode, mode_hash, _mapping(settings), _mapping(identity))
        for i, model, family, alpha, mode, mode_hash, settings, identity in rows
    )


def _problems(db: sqlite3.Connection) -> tuple[ProblemRow, ...]:
    rows = db.execute(
        """
        SELECT p.id, p.name, p.title, p.difficulty, p.time_limit_s, p.memory_limit_bytes, p.digest,
               COALESCE(json_extract(p.info, '$.cluster'), p.name),
               COUNT(t.position), COALESCE(MAX(t.input_bytes), 0)
        FROM problems p LEFT JOIN problem_tests t ON t.problem = p.id GROUP BY p.id ORDER BY p.id
        """
    )
    return tuple(ProblemRow(*row) for row in rows)


def _case(column: str, values: tuple[str, ...], otherwise: str) -> str:
    """SQL that turns a text column into its index in `values` (trusted or quoted here)."""
    quoted = [(i, v.replace("'", "''")) for i, v in enumerate(values) if v]
    whens = " ".join(f"WHEN '{text}' THEN {i}" for i, text in quoted)
    return f"CASE {column} {whens} ELSE {otherwise} END" if whens else otherwise


def _real(column: str) -> str:
    """SQL for a real number with all of its digits; plain conversion would round to 15."""
    return f"CASE WHEN {column} IS NULL THEN 'nan' ELSE printf('%!.17g', {column}) END"


def _attempts(
    db: sqlite3.Connection, ends: tuple[str, ...], cells: list[int], problems: list[int]
) -> Attempts:
    outcome = _case("j.outcome", OUTCOMES, str(OWED))
    columns: dict[str, tuple[str, type]] = {
        "id": ("a.id", np.int64),
        "cell": ("a.cell", np.int64),
        "problem": ("a.problem", np.int64),
        "sample": ("a.sample", np.int32),
        "outcome": (
            f"CASE WHEN g.attempt IS NULL THEN {OWED} WHEN g.submission IS NULL"
            f" THEN {NO_SUBMISSION} ELSE {outcome} END",
            np.int8,
        ),
        "any_wrong": (_case("j.any_wrong", OUTCOMES, "-1"), np.int8),
        "verdict": (_case("j.verdict", VERDICTS, "0"), np.int8),
        "coverage": ("IFNULL(j.coverage, -1)", np.int16),
        "end": (_case('g."end"', ends, "-1"), np.int16),
        "prompt_tokens": ("IFNULL(g.prompt_tokens, -1)", np.int64),
        "completion_tokens": ("IFNULL(g.completion_tokens, -1)", np.int64),
        "reasoning_tokens": ("IFNULL(g.reasoning_tokens, -1)", np.int64),
        "turns": ("IFNULL(g.turns, -1)", np.int32),
        "tool_calls": ("IFNULL(g.tool_calls, -1)", np.int32),
        "wall_s": (_real("g.wall_s"), np.float64),
        "working_s": (_real("g.working_s"), np.float64),
        "submission": ("IFNULL(g.submission, -1)", np.int64),
        "judgement": ("IFNULL(j.id, -1)", np.int64),
        "max_time_ratio": (_real("j.max_time_ratio"), np.float64),
    }
    # Every aggregate of one query sees the rows in one order, so the columns stay aligned.
    query = f"""
        SELECT {", ".join(f"group_concat({expression})" for expression, _ in columns.values())}
        FROM attempts a
        LEFT JOIN generations g ON g.attempt = a.id
        LEFT JOIN judgements j
          ON j.judging = 1 AND j.problem = a.problem AND j.submission = g.submission
        WHERE a.id >= ? AND a.id < ?
    """
    first, last = db.execute(
        "SELECT IFNULL(MIN(id), 0), IFNULL(MAX(id), -1) FROM attempts"
    ).fetchone()
    parts: dict[str, list[NDArray[Any]]] = {name: [] for name in columns}
    for start in range(first, last + 1, _CHUNK):
        row = db.execute(query, (start, start + _CHUNK)).fetchone()
        if row[0] is None:
            continue
        for text, (name, (_, kind)) in zip(row, columns.items(), strict=True):
            parts[name].append(_parse(text, kind))
    arrays: dict[str, NDArray[Any]] = {
        name: np.concatenate(parts[name]) if parts[name] else np.empty(0, kind)
        for name, (_, kind) in columns.items()
    }
    arrays["cell"] = np.searchsorted(cells, arrays["cell"]).astype(np.int32)
    arrays["problem"] = np.searchsorted(problems, arrays["problem"]).astype(np.int32)
    return Attempts(**arrays, run=np.zeros(len(arrays["id"]), np.int16))


def _parse(text: str | int | float, kind: type) -> NDArray[Any]:
    """The numbers of one column; `group_concat` of a single row may come as a number."""
    parse_as = np.float64 if kind is np.float64 else np.int64
    return np.fromstring(str(text), dtype=parse_as, sep=",").astype(kind)


def _trouble(db: sqlite3.Connection) -> tuple[Trouble, ...]:
    """The most frequent kinds, and one entry for all the others: the counts add up to all."""
    rows = db.execute(
        "WITH kinds AS (SELECT stage, substr(message, 1, 200) AS said, COUNT(*) AS n FROM errors"
        " GROUP BY stage, said ORDER BY n DESC LIMIT ?)"
        " SELECT k.stage, k.said, COUNT(*), COUNT(DISTINCT e.attempt), k.n IS NULL FROM errors e"
        " LEFT JOIN kinds k ON k.stage = e.stage AND k.said = substr(e.message, 1, 200)"
        " GROUP BY k.stage, k.said ORDER BY k.n IS NULL, COUNT(*) DESC",
        (_KINDS_OF_TROUBLE,),
    )
    return tuple(
        Trouble("all", "other messages", count, attempts) if rest
        else Trouble(stage, message, count, attempts)
        for stage, message, count, attempts, rest in rows
    )  # fmt: skip


def _errors_by_cell(db: sqlite3.Connection, cells: list[int]) -> NDArray[np.int64]:
    counts = dict(
        db.execute(
            "SELECT a.cell, COUNT(DISTINCT e.attempt) FROM errors e"
            " JOIN attempts a ON a.id = e.attempt GROUP BY a.cell"
        ).fetchall()
    )
    return np.array([counts.get(cell, 0) for cell in cells], dtype=np.int64)


def late(path: Path) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Judgements (ids) that are a TLE, and the CPU time of that test over the limit that applied.

    A program is killed at a multiple of the limit, so a ratio there says only "at least".
    """
    with connect(path) as db:
        row = db.execute(
            f"""
            SELECT group_concat(id), group_concat({_real("ratio")}) FROM (
              SELECT j.id AS id, MAX(r.cpu_s)
                / COALESCE(json_extract(j.detail, '$.time_limit_s'), p.time_limit_s) AS ratio
              FROM judgements j JOIN problems p ON p.id = j.problem
              JOIN test_results r ON r.judgement = j.id AND r.verdict = 'TLE'
              WHERE j.judging = 1 AND j.verdict = 'TLE' GROUP BY j.id)
            """
        ).fetchone()
    if row[0] is None:
        return np.empty(0, np.int64), np.empty(0)
    return _parse(row[0], np.int64), _parse(row[1], np.float64)


def read_judging(path: Path, judging: int, attempts: NDArray[np.int64]) -> NDArray[np.int8]:
    """Outcomes of `attempts` (ids) under another judging of the run; OWED if unjudged."""
    outcome = _case("j.outcome", OUTCOMES, str(OWED))
    found = np.zeros(len(attempts), dtype=np.int8)
    with connect(path) as db:
        row = db.execute(
            f"""
            SELECT group_concat(a.id), group_concat(
              CASE WHEN g.submission IS NULL THEN {NO_SUBMISSION} ELSE {outcome} END)
            FROM attempts a JOIN generations g ON g.attempt = a.id
            LEFT JOIN judgements j
              ON j.judging = ? AND j.problem = a.problem AND j.submission = g.submission
            """,
            (judging,),
        ).fetchone()
    if row[0] is not None and len(attempts):
        ids, codes = _parse(row[0], np.int64), _parse(row[1], np.int8)
        order = np.argsort(attempts)
        place = order[np.searchsorted(attempts, ids, sorter=order)]
        found[place] = codes
    return found
