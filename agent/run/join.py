"""Unites the runs that the shards of one plan made on different machines."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from agent.errors import UsageError
from agent.run.store import FILE, RunStore

# What must be equal for rows to belong into one run: (what it is, rows in the source that differ).
_CONFLICTS: tuple[tuple[str, str], ...] = (
    (
        "problem {} differs (statement, tests or limits)",
        "SELECT s.name FROM src.problems s JOIN problems p USING (name) WHERE p.digest <> s.digest",
    ),
    (
        "cell {} was planned with other settings",
        "SELECT s.model || ' / ' || s.mode FROM src.cells s JOIN cells c USING (model, mode)"
        " WHERE c.mode_hash <> s.mode_hash",
    ),
    (
        "it was judged under other conditions than {}",
        "SELECT 'the others' FROM src.judgings s JOIN judgings j USING (id)"
        " WHERE s.id = 1 AND j.settings <> s.settings",
    ),
    (
        "attempt {} was made twice with different results",
        """
        SELECT sc.model || ' / ' || sc.mode || ' / ' || sp.name || ' / ' || sa.sample
        FROM src.generations sg JOIN src.attempts sa ON sa.id = sg.attempt
        JOIN src.cells sc ON sc.id = sa.cell JOIN src.problems sp ON sp.id = sa.problem
        LEFT JOIN src.submissions ss ON ss.id = sg.submission
        JOIN cells c ON c.model = sc.model AND c.mode = sc.mode
        JOIN problems p ON p.name = sp.name
        JOIN attempts a ON a.cell = c.id AND a.problem = p.id AND a.sample = sa.sample
        JOIN generations g ON g.attempt = a.id LEFT JOIN submissions s ON s.id = g.submission
        WHERE g.ended_at <> sg.ended_at
          AND (g."end" <> sg."end" OR COALESCE(s.hash, '') <> COALESCE(ss.hash, ''))
        """,
    ),
)

_MAPS = """
CREATE TEMP TABLE attempt_map AS
  SELECT sa.id AS theirs, a.id AS ours
  FROM src.attempts sa JOIN src.cells sc ON sc.id = sa.cell
  JOIN src.problems sp ON sp.id = sa.problem
  JOIN cells c ON c.model = sc.model AND c.mode = sc.mode
  JOIN problems p ON p.name = sp.name
  JOIN attempts a ON a.cell = c.id AND a.problem = p.id AND a.sample = sa.sample;
CREATE TEMP TABLE submission_map AS
  SELECT ss.id AS theirs, s.id AS ours FROM src.submissions ss JOIN submissions s USING (hash);
CREATE UNIQUE INDEX temp.attempt_theirs ON attempt_map (theirs);
CREATE UNIQUE INDEX temp.submission_theirs ON submission_map (theirs);
"""

_COPIES: tuple[str, ...] = (
    "INSERT INTO meta SELECT * FROM src.meta WHERE true ON CONFLICT DO NOTHING",
    "INSERT INTO problems (name, title, difficulty, time_limit_s, memory_limit_bytes, digest, info)"
    " SELECT name, title, difficulty, time_limit_s, memory_limit_bytes, digest, info"
    " FROM src.problems WHERE true ON CONFLICT DO NOTHING",
    "INSERT INTO problem_tests SELECT p.id, t.position, t.name, t.input_bytes, t.sample"
    " FROM src.problem_tests t JOIN src.problems sp ON sp.id = t.problem"
    " JOIN problems p USING (name) WHERE true ON CONFLICT DO NOTHING",
    "INSERT INTO cells (model, family, alpha, mode, mode_hash, settings, identity)"
    " SELECT model, family, alpha, mode, mode_hash, settings, identity FROM src.cells"
    " WHERE true ON CONFLICT (model, mode) DO UPDATE SET identity = excluded.identity"
    " WHERE identity = '{}'",
    "INSERT INTO judgings SELECT * FROM src.judgings WHERE id = 1 ON CONFLICT DO NOTHING",
    "INSERT INTO submissions (hash, language, source)"
    " SELECT hash, language, source FROM src.submissions WHERE true ON CONFLICT DO NOTHING",
    "INSERT INTO attempts (cell, problem, sample, seed)"
    " SELECT c.id, p.id, sa.sample, sa.seed FROM src.attempts sa"
    " JOIN src.cells sc ON sc.id = sa.cell JOIN src.problems sp ON sp.id = sa.problem"
    " JOIN cells c ON c.model = sc.model AND c.mode = sc.mode JOIN problems p ON p.name = sp.name"
    " WHERE true ON CONFLICT DO NOTHING",
    _MAPS,
    'INSERT INTO generations SELECT m.ours, g.ended_at, g."end", s.ours, g.prompt_tokens,'
    " g.completion_tokens, g.reasoning_tokens, g.turns, g.tool_calls, g.wall_s, g.working_s,"
    " g.notes FROM src.generations g JOIN attempt_map m ON m.theirs = g.attempt"
    " LEFT JOIN submission_map s ON s.theirs = g.submission WHERE true ON CONFLICT DO NOTHING",
    "INSERT INTO transcripts SELECT m.ours, t.body FROM src.transcripts t"
    " JOIN attempt_map m ON m.theirs = t.attempt WHERE true ON CONFLICT DO NOTHING",
    "INSERT INTO judgements (judging, problem, submission, judged_at, verdict, outcome, any_wrong,"
    " coverage, passed, max_time_ratio, max_memory_ratio, detail)"
    " SELECT 1, p.id, m.ours, j.judged_at, j.verdict, j.outcome, j.any_wrong, j.coverage,"
    " j.passed, j.max_time_ratio, j.max_memory_ratio, j.detail FROM src.judgements j"
    " JOIN src.problems sp ON sp.id = j.problem JOIN problems p USING (name)"
    " JOIN submission_map m ON m.theirs = j.submission"
    " WHERE j.judging = 1 ON CONFLICT DO NOTHING",
    "INSERT INTO test_results SELECT j.id, t.position, t.verdict, t.cpu_s, t.wall_s, t.peak_bytes"
    " FROM src.test_results t JOIN src.judgements sj ON sj.id = t.judgement AND sj.judging = 1"
    " JOIN src.problems sp ON sp.id = sj.problem JOIN problems p USING (name)"
    " JOIN submission_map m ON m.theirs = sj.submission"
    " JOIN judgements j ON j.judging = 1 AND j.problem = p.id AND j.submission = m.ours"
    " AND j.judged_at = sj.judged_at WHERE true ON CONFLICT DO NOTHING",
    "INSERT INTO errors (attempt, at, stage, message)"
    " SELECT m.ours, e.at, e.stage, e.message FROM src.errors e"
    " JOIN attempt_map m ON m.theirs = e.attempt WHERE NOT EXISTS"
    " (SELECT 1 FROM errors o WHERE o.attempt = m.ours AND o.at = e.at AND o.stage = e.stage)",
    "DROP TABLE temp.attempt_map; DROP TABLE temp.submission_map",
)


def join(runs: Sequence[Path], out: Path) -> tuple[int, int, int]:
    """Adds every run's rows to the run at `out`; joining the same run again changes nothing.

    Each source is added whole or not at all. Returns (planned, done, solved) of `out`. Raises
    UsageError naming the difference when a run cannot be united with the others, or the same
    attempt was made twice with different results.
    """
    for run in runs:
        if not (run / FILE).is_file():
            raise UsageError(f"{run}: no run there ({FILE} is missing)")
        if run.resolve() == out.resolve():
            raise UsageError(f"{run}: is both a source and the output")
    store = RunStore(out)
    try:
        for run in runs:
            with RunStore(run).released() as path:  # brings an older file up to date first
                _add(store.db, run, path)
        return store.counts()
    finally:
        store.close()


def _add(db: sqlite3.Connection, run: Path, path: Path) -> None:
    db.execute("ATTACH DATABASE ? AS src", (str(path),))
    try:
        for text, query in _CONFLICTS:
            row = db.execute(query).fetchone()
            if row is not None:
                raise UsageError(f"{run}: cannot be joined: {text.format(row[0])}")
        db.execute("BEGIN IMMEDIATE")
        try:
            for script in _COPIES:
                for statement in filter(str.strip, script.split(";")):
                    db.execute(statement)
            db.execute("COMMIT")
        except BaseException:
            db.execute("ROLLBACK")
            raise
    finally:
        with contextlib.suppress(sqlite3.Error):
            db.execute("DETACH DATABASE src")
