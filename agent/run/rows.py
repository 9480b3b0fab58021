"""From generations and judgements to rows. Each function runs inside the caller's transaction."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Mapping
from typing import Any

from agent.judge.verdict import Judgement, Submission, Verdict
from agent.modes import Generation
from agent.suite.problem import Problem


def to_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def submission_hash(submission: Submission) -> str:
    """sha256 of language, NUL, source: identical submissions are judged once."""
    text = f"{submission.language}\0{submission.source}"
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def coverage_bits(coverage: Mapping[str, bool]) -> int:
    """R_k of k = 1…6 as bits 0…5, "full" as bit 6."""
    keys = ("1", "2", "3", "4", "5", "6", "full")
    return sum(1 << bit for bit, key in enumerate(keys) if coverage.get(key))


def insert_generation(
    db: sqlite3.Connection, attempt: int, generation: Generation, transcript: bytes
) -> None:
    """Adds one finished attempt. `transcript`: zlib of its JSON, compressed by the caller."""
    g = generation
    submission = _submission_id(db, g.submission) if g.submission else None
    db.execute(
        "INSERT INTO generations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            attempt,
            time.time(),
            str(g.end),
            submission,
            g.prompt_tokens,
            g.completion_tokens,
            g.reasoning_tokens,
            g.turns,
            g.tool_calls,
            g.wall_s,
            g.working_s,
            to_json(g.notes),
        ),
    )
    db.execute("INSERT INTO transcripts VALUES (?, ?)", (attempt, transcript))


def _submission_id(db: sqlite3.Connection, submission: Submission) -> int:
    key = submission_hash(submission)
    row = db.execute("SELECT id FROM submissions WHERE hash = ?", (key,)).fetchone()
    if row is not None:
        return int(row[0])
    source = submission.source.encode("utf-8", "replace").decode()  # lone surrogates: "?"
    cursor = db.execute(
        "INSERT INTO submissions (hash, language, source) VALUES (?, ?, ?)",
        (key, submission.language, source),
    )
    return int(cursor.lastrowid or 0)


def insert_judgement(
    db: sqlite3.Connection,
    judging: int,
    problem: Problem,
    submission: Submission,
    judgement: Judgement,
) -> None:
    """Adds one judgement with its test results; an equal key that is already there stays."""
    key = db.execute("SELECT id FROM problems WHERE name = ?", (problem.id,)).fetchone()[0]
    passed = [t for t in judgement.tests if t.verdict is Verdict.AC]
    limits = problem.limits
    time_s = judgement.time_limit_s or limits.time_s
    detail = {
        "time_limit_s": time_s,
        "compile_output": judgement.compile_output,
        "compile_cpu_s": judgement.compile_cpu_s,
        "messages": {t.name: t.message for t in judgement.tests if t.message},
        "cpu_samples": {t.name: t.cpu_samples for t in judgement.tests if t.cpu_samples},
        "empty_coverages": judgement.empty_coverages,
        **judgement.extra,
    }
    cursor = db.execute(
        "INSERT INTO judgements (judging, problem, submission, judged_at, verdict, outcome,"
        " any_wrong, coverage, passed, max_time_ratio, max_memory_ratio, detail)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id",
        (
            judging,
            key,
            _submission_id(db, submission),
            time.time(),
            judgement.verdict,
            judgement.outcome,
            judgement.any_wrong,
            coverage_bits(judgement.coverage),
            len(passed),
            max((t.cpu_s / time_s for t in passed), default=None),
            max((t.peak_bytes / limits.memory_bytes for t in passed), default=None),
            to_json(detail),
        ),
    )
    row = cursor.fetchone()
    if row is None:
        return
    db.executemany(
        "INSERT INTO test_results VALUES (?, ?, ?, ?, ?, ?)",
        (
            (row[0], position, t.verdict, t.cpu_s, t.wall_s, t.peak_bytes)
            for position, t in enumerate(judgement.tests)
        ),
    )
