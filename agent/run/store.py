"""The run's SQLite file: one writer, every finished piece durable before it counts."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.errors import UsageError
from agent.judge.verdict import Judgement, Submission, Verdict
from agent.modes import Generation
from agent.run.plan import Cell, Planned
from agent.run.rows import insert_generation, insert_judgement, to_json
from agent.run.schema import MIGRATIONS, VERSION
from agent.run.writer import StoreError, Writer
from agent.suite.problem import Problem

FILE = "run.sqlite"


@dataclass(frozen=True, slots=True)
class Owed:
    """An attempt that is not done: to be generated, or (`submission` set) only to be judged."""

    id: int
    model: str
    mode: str
    problem: str
    sample: int
    seed: int
    submission: Submission | None = None


class RunStore:
    """One run directory, held by one driver at a time.

    Reading and planning are synchronous; what finished is appended by a writer thread that commits
    everything waiting at once (group commit), and the coroutine returns when it is on disk.
    """

    def __init__(self, folder: Path) -> None:
        """Opens or makes the run. Raises UsageError when another driver holds it."""
        self.folder = folder
        self.path = folder / FILE
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = os.open(folder / "run.lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.pread(self._lock, 32, 0).decode(errors="replace").strip()
            os.close(self._lock)
            raise UsageError(
                f"{folder}: another `agent run` (process {holder or 'unknown'}) works on this run;"
                " wait for it or choose another --out"
            ) from None
        os.ftruncate(self._lock, 0)
        os.pwrite(self._lock, f"{os.getpid()}\n".encode(), 0)
        try:
            self.db = self._connect()
        except BaseException:
            os.close(self._lock)
            raise
        self._writer = Writer(self.db, self.path)

    def _connect(self) -> sqlite3.Connection:
        try:
            db = sqlite3.connect(self.path, check_same_thread=False, isolation_level=None)
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = FULL")  # a finished attempt survives a power cut
            db.execute("PRAGMA foreign_keys = ON")
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version > VERSION:
                raise UsageError(f"{self.path}: written by a newer agent; upgrade to open it")
            for number, script in enumerate(MIGRATIONS[version:], start=version + 1):
                db.executescript(f"BEGIN; {script}; PRAGMA user_version = {number}; COMMIT;")
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: cannot be opened as a run: {error}") from error
        return db

    def close(self) -> None:
        """Writes what is queued, then lets the run go."""
        self._writer.close()
        self.db.close()
        os.close(self._lock)

    @contextlib.contextmanager
    def released(self) -> Iterator[Path]:
        """Closes the run's database but keeps its lock for the block: for readers of the file."""
        self._writer.close()
        self.db.close()
        try:
            yield self.path
        finally:
            os.close(self._lock)

    # --- planning (before the event loop works) -------------------------------------------------

    def meta(self, key: str) -> Any:
        """The recorded value, or None."""
        row = self.db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return json.loads(row[0]) if row else None

    def set_meta(self, key: str, value: Any) -> None:
        self.db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, to_json(value)))

    def add_problems(self, problems: Iterable[Problem]) -> None:
        """Records problems; raises UsageError when one has changed since it was recorded."""
        with self._transaction() as db:
            for p in problems:
                row = db.execute("SELECT digest FROM problems WHERE name = ?", (p.id,)).fetchone()
                if row is None:
                    self._insert_problem(db, p)
                elif row[0] != p.digest:
                    raise UsageError(
                        f"{self.folder}: problem {p.id!r} has changed since this run was planned"
                        " (statement, tests or limits); choose another --out"
                    )

    @staticmethod
    def _insert_problem(db: sqlite3.Connection, p: Problem) -> None:
        info = {"tags": p.tags, "source": p.source, "kind": p.kind, **p.extra}
        info["statement"] = p.statement
        row = (p.id, p.title, p.difficulty, p.limits.time_s, p.limits.memory_bytes, p.digest)
        cursor = db.execute(
            "INSERT INTO problems (name, title, difficulty, time_limit_s, memory_limit_bytes,"
            " digest, info) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (*row, to_json(info)),
        )
        db.executemany(
            "INSERT INTO problem_tests VALUES (?, ?, ?, ?, ?)",
            (
                (cursor.lastrowid, position, test.name, test.input.size, int(test.sample))
                for position, test in enumerate(p.tests)
            ),
        )

    def add_cell(self, cell: Cell) -> None:
        """Records a cell; raises UsageError when it was planned with other settings."""
        row = self.db.execute(
            "SELECT mode_hash, settings FROM cells WHERE model = ? AND mode = ?",
            (cell.model, cell.mode),
        ).fetchone()
        if row is None:
            self.db.execute(
                "INSERT INTO cells (model, family, alpha, mode, mode_hash, settings, identity)"
                " VALUES (?, ?, ?, ?, ?, ?, '{}')",
                (
                    cell.model,
                    cell.family,
                    cell.alpha,
                    cell.mode,
                    cell.mode_hash,
                    to_json(cell.settings),
                ),
            )
        elif row[0] != cell.mode_hash:
            names = _differences(json.loads(row[1]), json.loads(to_json(cell.settings)))
            raise UsageError(
                f"{self.folder}: {cell.model} in mode {cell.mode} was planned with other settings"
                f" ({', '.join(names) or 'prompt or tools'}); choose another --out"
            )

    def identity(self, model: str) -> Mapping[str, Any]:
        """What was served under this name when it first ran; empty before that."""
        row = self.db.execute(
            "SELECT identity FROM cells WHERE model = ? AND identity <> '{}'", (model,)
        ).fetchone()
        return json.loads(row[0]) if row else {}

    def add_attempts(self, attempts: Iterable[Planned]) -> None:
        """Adds attempts that are not yet planned; the others stay as they are."""
        with self._transaction() as db:
            cells = {(m, k): i for i, m, k in db.execute("SELECT id, model, mode FROM cells")}
            problems = dict(db.execute("SELECT name, id FROM problems"))
            db.executemany(
                "INSERT INTO attempts (cell, problem, sample, seed) VALUES (?, ?, ?, ?)"
                " ON CONFLICT DO NOTHING",
                ((cells[a.model, a.mode], problems[a.problem], a.sample, a.seed) for a in attempts),
            )

    def add_judging(self, settings: Mapping[str, Any]) -> None:
        """Records the conditions of judging 1; raises UsageError when they differ from before."""
        row = self.db.execute("SELECT settings FROM judgings WHERE id = 1").fetchone()
        if row is None:
            self.db.execute(
                "INSERT INTO judgings (id, created_at, settings) VALUES (1, ?, ?)",
                (time.time(), to_json(settings)),
            )
            return
        names = _differences(json.loads(row[0]), json.loads(to_json(settings)))
        if names:
            raise UsageError(
                f"{self.folder}: this run was judged under other conditions ({', '.join(names)});"
                " choose another --out, or re-judge it with `agent rejudge`"
            )

    def judging(self) -> Mapping[str, Any] | None:
        """The recorded conditions of judging 1, None before the first run."""
        row = self.db.execute("SELECT settings FROM judgings WHERE id = 1").fetchone()
        return json.loads(row[0]) if row else None

    def owed(self) -> list[Owed]:
        """Every planned attempt that is not done, in order of the plan."""
        rows = self.db.execute(
            """
            SELECT a.id, c.model, c.mode, p.name, a.sample, a.seed, s.language, s.source
            FROM attempts a JOIN cells c ON c.id = a.cell JOIN problems p ON p.id = a.problem
            LEFT JOIN generations g ON g.attempt = a.id
            LEFT JOIN submissions s ON s.id = g.submission
            LEFT JOIN judgements j
              ON j.judging = 1 AND j.problem = a.problem AND j.submission = g.submission
            WHERE g.attempt IS NULL OR (g.submission IS NOT NULL AND j.id IS NULL)
            ORDER BY a.id
            """
        )
        owed = []
        for key, model, mode, problem, sample, seed, language, source in rows:
            submission = None if language is None else Submission(source, language)
            owed.append(Owed(key, model, mode, problem, sample, seed, submission))
        return owed

    def judged(self) -> dict[tuple[str, str], str]:
        """The outcomes of judging 1 by problem and hash of the submission."""
        rows = self.db.execute(
            "SELECT p.name, s.hash, j.outcome FROM judgements j JOIN problems p ON p.id = j.problem"
            " JOIN submissions s ON s.id = j.submission WHERE j.judging = 1"
        )
        return {(problem, key): outcome for problem, key, outcome in rows}

    def counts(self) -> tuple[int, int, int]:
        """(planned, done, solved)."""
        row = self.db.execute(
            "SELECT COUNT(*), COUNT(outcome), COUNT(CASE WHEN outcome = 'solved' THEN 1 END)"
            " FROM outcomes"
        ).fetchone()
        return int(row[0]), int(row[1]), int(row[2])

    def _transaction(self) -> _Transaction:
        return _Transaction(self.db)

    # --- appending (while the event loop works) -------------------------------------------------

    async def add_generation(self, attempt: int, generation: Generation) -> None:
        """A finished attempt; on disk when this returns."""
        body = zlib.compress(to_json(generation.transcript).encode("utf-8", "surrogatepass"), 6)

        def write(db: sqlite3.Connection) -> None:
            insert_generation(db, attempt, generation, body)

        await self._writer.append(write)

    async def add_judgement(
        self, problem: Problem, submission: Submission, judgement: Judgement, *, judging: int = 1
    ) -> None:
        """A verdict; on disk when this returns. IE is not a verdict and is refused."""
        if judgement.verdict is Verdict.IE or judgement.outcome is None:
            raise ValueError("a failure of the judge is no verdict")

        def write(db: sqlite3.Connection) -> None:
            insert_judgement(db, judging, problem, submission, judgement)

        await self._writer.append(write)

    async def set_identity(self, model: str, identity: Mapping[str, Any]) -> None:
        """Records what is really served under this name."""
        row = (to_json(identity), model)
        await self._writer.append(
            lambda db: db.execute("UPDATE cells SET identity = ? WHERE model = ?", row)
        )

    async def add_error(self, attempt: int, stage: str, message: str) -> None:
        """Infrastructure trouble; the attempt stays owed."""
        row = (attempt, time.time(), stage, message)
        await self._writer.append(
            lambda db: db.execute(
                "INSERT INTO errors (attempt, at, stage, message) VALUES (?, ?, ?, ?)", row
            )
        )


class _Transaction:
    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def __enter__(self) -> sqlite3.Connection:
        self._db.execute("BEGIN IMMEDIATE")
        return self._db

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._db.execute("COMMIT" if kind is None else "ROLLBACK")


def _differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """`key: before → now` for every key that differs."""
    keys = sorted(before.keys() | now.keys())
    return [
        f"{key}: {_short(before.get(key))} → {_short(now.get(key))}"
        for key in keys
        if before.get(key) != now.get(key)
    ]


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 40 else text[:37] + "…"
