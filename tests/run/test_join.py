"""Shards made apart and joined are the run that one machine would have made."""

from __future__ import annotations

import asyncio
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from agent.errors import UsageError
from agent.judge.verdict import Submission
from agent.modes import End, Generation
from agent.run.join import join
from agent.run.plan import Shard, plan
from agent.run.store import RunStore
from tests.run.test_store import CELL, a_problem, solved, submitted

PROBLEMS = [a_problem("sum"), a_problem("other")]


def make(folder: Path, shard: Shard = Shard(), **changes: object) -> Path:
    """A finished run of one shard; every third sample has no submission."""
    store = RunStore(folder)
    store.set_meta("seed", 0)
    store.add_problems(PROBLEMS)
    store.add_cell(replace(CELL, **changes))
    store.add_judging({"sandbox": "bubblewrap"})
    attempts = plan([CELL], ["sum", "other"], n=20, run_seed=0)
    store.add_attempts(a for a in attempts if shard.holds(a))

    async def work() -> None:
        for owed in store.owed():
            if owed.sample % 3 == 0:
                await store.add_generation(owed.id, Generation(End.NO_CODE, None, ()))
                await store.add_error(owed.id, "model", "once")
                continue
            source = f"print({owed.sample % 4})"
            await store.add_generation(owed.id, submitted(source))
            problem = next(p for p in PROBLEMS if p.id == owed.problem)
            await store.add_judgement(problem, Submission(source, "python"), solved())

    asyncio.run(work())
    store.close()
    return folder


def rows(folder: Path) -> list[tuple[object, ...]]:
    db = sqlite3.connect(folder / "run.sqlite")
    query = "SELECT model, mode, problem_name, sample, outcome, verdict, errors FROM outcomes"
    tests = "SELECT COUNT(*) FROM test_results UNION ALL SELECT COUNT(*) FROM judgements"
    return sorted(db.execute(query)) + list(db.execute(tests))


def test_joined_shards_equal_one_run_and_joining_again_changes_nothing(tmp_path: Path) -> None:
    whole = make(tmp_path / "whole")
    parts = [make(tmp_path / f"part{i}", Shard(i, 3)) for i in (1, 2, 3)]
    out = tmp_path / "joined"
    assert join(parts, out) == (40, 40, 26)
    assert rows(out) == rows(whole)
    assert join([*parts, parts[0]], out) == (40, 40, 26)
    assert rows(out) == rows(whole)


def test_what_disagrees_is_refused_and_nothing_of_it_is_taken(tmp_path: Path) -> None:
    out = tmp_path / "joined"
    join([make(tmp_path / "a", Shard(1, 2))], out)
    before = rows(out)
    other_settings = make(tmp_path / "b", Shard(2, 2), mode_hash="other")
    with pytest.raises(UsageError, match="planned with other settings"):
        join([other_settings], out)

    twice = make(tmp_path / "c", Shard(1, 2))
    db = sqlite3.connect(twice / "run.sqlite")
    db.execute("UPDATE generations SET \"end\" = 'turn_limit' WHERE submission IS NULL")
    db.commit()
    db.close()
    with pytest.raises(UsageError, match="made twice with different results"):
        join([twice], out)
    assert rows(out) == before


def test_a_folder_without_a_run_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no run there"):
        join([tmp_path], tmp_path / "out")
