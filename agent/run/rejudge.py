"""Judges a run's submissions again under other conditions, beside the old verdicts."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agent.errors import InfrastructureError, UsageError
from agent.judge.judge import Judge, open_judge
from agent.judge.languages import load_languages
from agent.judge.verdict import Submission, Verdict
from agent.run.rows import to_json
from agent.run.store import FILE, RunStore
from agent.sandbox.backends import open_backend
from agent.suite.load import load_suite
from agent.suite.problem import Problem

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Limit:
    """An absolute limit, or a factor on the problem's own: "3.5" or "x2"."""

    value: float
    factor: bool

    @classmethod
    def parse(cls, text: str, option: str) -> Limit:
        """Raises UsageError."""
        factor = text.lower().startswith("x")
        try:
            value = float(text[1:] if factor else text)
        except ValueError:
            value = 0.0
        if not 0 < value < float("inf"):
            raise UsageError(f"{option} {text}: expected a positive number, or xN for N times")
        return cls(value, factor)

    def of(self, own: float) -> float:
        return own * self.value if self.factor else self.value


@dataclass(frozen=True, slots=True)
class Conditions:
    """What is different this time. memory: MiB, or a factor."""

    time: Limit | None = None
    memory: Limit | None = None
    all_tests: bool = False
    languages: Path | None = None
    sandbox: str = "auto"
    workers: int | None = None

    def apply(self, problem: Problem) -> Problem:
        limits = problem.limits
        if self.time:
            limits = replace(limits, time_s=self.time.of(limits.time_s), time_derived=False)
        if self.memory:
            mebibytes = self.memory.of(limits.memory_bytes / 2**20)
            limits = replace(limits, memory_bytes=int(mebibytes * 2**20))
        return replace(problem, limits=limits)


@dataclass(frozen=True, slots=True)
class Change:
    """A submission whose verdict is another one now; `attempts` made it."""

    problem: str
    submission: str  # hash
    before: str
    after: str
    attempts: int


@dataclass(frozen=True, slots=True)
class Rejudged:
    judging: int
    judged: int
    failed: int  # infrastructure errors: not judged this time
    changes: tuple[Change, ...]

    def as_json(self) -> dict[str, Any]:
        changes = [{name: getattr(one, name) for name in Change.__slots__} for one in self.changes]
        return {
            "judging": self.judging,
            "judged": self.judged,
            "failed": self.failed,
            "changes": changes,
        }


@dataclass(frozen=True, slots=True)
class _Item:
    problem: str
    submission: Submission
    hash: str
    before: str
    attempts: int


async def rejudge(folder: Path, suite: Path | None, conditions: Conditions, say: Say) -> Rejudged:
    """Adds a judging to the run: one judgement for every distinct (problem, submission).

    suite: where the tests are (None: as in the run's last command). Raises UsageError when the run
    or its suite is not there, or a problem's tests have changed since.
    """
    if not (folder / FILE).is_file():
        raise UsageError(f"{folder}: not a run: it has no {FILE}")
    problems = await asyncio.to_thread(_load, folder, suite)
    store = RunStore(folder)
    try:
        items = _items(store)
        _check(store, items, problems)
        async with contextlib.AsyncExitStack() as stack:
            backend = await open_backend(conditions.sandbox, say=say)
            stack.push_async_callback(backend.close)
            judge = await open_judge(
                backend,
                workers=conditions.workers,
                languages=load_languages(conditions.languages),
            )
            stack.push_async_callback(judge.close)
            factors = (store.judging() or {}).get("time_factors", {})
            judging = _add_judging(store, judge, conditions, factors)
            say(f"{folder}: judging {len(items)} distinct submissions again (judging {judging})")
            return await _judge_all(store, judge, judging, items, problems, conditions, factors)
    finally:
        store.close()


def _load(folder: Path, suite: Path | None) -> dict[str, Problem]:
    if suite is None:
        store = RunStore(folder)
        try:
            commands = store.meta("commands") or []
        finally:
            store.close()
        suite = _suite_of(commands[-1] if commands else [])
        if suite is None:
            raise UsageError(f"{folder}: it does not say which suite it is of; give --suite")
    return {problem.id: problem for problem in load_suite(suite).problems}


def _suite_of(command: Sequence[str]) -> Path | None:
    for word, following in zip(command, [*command[1:], ""], strict=True):
        if word == "--suite":
            return Path(following)
        if word.startswith("--suite="):
            return Path(word.partition("=")[2])
    return None


def _items(store: RunStore) -> list[_Item]:
    """Every distinct (problem, submission), with its verdict under the run's own judging."""
    rows = store.db.execute(
        """
        SELECT p.name, s.source, s.language, s.hash, COALESCE(j.verdict, ''), COUNT(*)
        FROM attempts a JOIN problems p ON p.id = a.problem
        JOIN generations g ON g.attempt = a.id JOIN submissions s ON s.id = g.submission
        LEFT JOIN judgements j
          ON j.judging = 1 AND j.problem = a.problem AND j.submission = g.submission
        GROUP BY p.id, s.id ORDER BY p.id, s.id
        """
    )
    return [
        _Item(problem, Submission(source, language), key, before, attempts)
        for problem, source, language, key, before, attempts in rows
    ]


def _check(store: RunStore, items: Sequence[_Item], problems: Mapping[str, Problem]) -> None:
    digests = dict(store.db.execute("SELECT name, digest FROM problems"))
    for name in {item.problem for item in items}:
        if name not in problems:
            raise UsageError(f"{store.folder}: its suite has no problem {name!r} any more")
        if problems[name].digest != digests[name]:
            raise UsageError(
                f"{store.folder}: problem {name!r} has changed since the run was planned"
            )


def _add_judging(
    store: RunStore, judge: Judge, conditions: Conditions, factors: Mapping[str, float]
) -> int:
    settings = {
        "all_tests": conditions.all_tests,
        "time_limit": _written(conditions.time),
        "memory_limit_mb": _written(conditions.memory),
        "time_factors": dict(factors),
        **judge.conditions,
    }
    cursor = store.db.execute(
        "INSERT INTO judgings (created_at, settings) VALUES (?, ?)",
        (time.time(), to_json(settings)),
    )
    return int(cursor.lastrowid or 0)


def _written(limit: Limit | None) -> str | None:
    if limit is None:
        return None
    return f"x{limit.value:g}" if limit.factor else f"{limit.value:g}"


async def _judge_all(
    store: RunStore,
    judge: Judge,
    judging: int,
    items: Sequence[_Item],
    problems: Mapping[str, Problem],
    conditions: Conditions,
    factors: Mapping[str, float],
) -> Rejudged:
    work = iter(items)
    changes: list[Change] = []
    failed = 0

    async def worker() -> None:
        nonlocal failed
        for item in work:
            problem = conditions.apply(problems[item.problem])
            try:
                judgement = await judge.judge(
                    problem,
                    item.submission,
                    all_tests=conditions.all_tests,
                    time_factor=factors.get(item.submission.language),
                )
            except InfrastructureError:
                failed += 1
                continue
            if judgement.verdict is Verdict.IE:
                failed += 1
                continue
            await store.add_judgement(problem, item.submission, judgement, judging=judging)
            if item.before and item.before != judgement.verdict:
                changes.append(
                    Change(item.problem, item.hash, item.before, judgement.verdict, item.attempts)
                )

    async with asyncio.TaskGroup() as group:
        for _ in range(judge.workers):
            group.create_task(worker())
    changes.sort(key=lambda one: (one.problem, one.submission))
    return Rejudged(judging, len(items) - failed, failed, tuple(changes))
