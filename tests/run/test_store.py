"""The run's file: what is planned, done, owed; what a resumed command may and may not change."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.errors import UsageError
from agent.judge.verdict import Judgement, Submission, TestResult, Verdict
from agent.modes import End, Generation
from agent.run.plan import Cell, Shard, plan, seed_of
from agent.run.store import RunStore
from agent.suite.data import Bytes
from agent.suite.problem import Problem, ProblemLimits, Test

CELL = Cell("ckpt_alpha1.5", "reasoning", "hash", "ckpt", 1.5, {"turns": 1})


def a_problem(name: str = "sum", digest: str = "d1") -> Problem:
    tests = (Test("01", Bytes(b"1 2\n"), Bytes(b"3\n"), sample=True),)
    return Problem(name, name, "Add.", ProblemLimits(1.0), tests, digest=digest)


def solved() -> Judgement:
    return Judgement(
        Verdict.AC, (TestResult("01", Verdict.AC, 4, 0.5, 0.6, 1 << 29),), {"1": True, "full": True}
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    store = RunStore(tmp_path / "run")
    store.add_problems([a_problem(), a_problem("other")])
    store.add_cell(CELL)
    store.add_judging({"sandbox": "bubblewrap"})
    store.add_attempts(plan([CELL], ["sum", "other"], n=2, run_seed=0))
    yield store
    store.close()


def submitted(source: str = "print(3)") -> Generation:
    return Generation(End.SUBMITTED, Submission(source, "python"), ({"role": "user"},))


async def test_an_attempt_is_owed_until_it_is_judged(store: RunStore) -> None:
    first = store.owed()[0]
    assert (first.problem, first.sample, first.submission) == ("sum", 0, None)

    await store.add_generation(first.id, submitted())
    assert store.owed()[0].submission == Submission("print(3)", "python")

    await store.add_judgement(a_problem(), Submission("print(3)", "python"), solved())
    assert [owed.id for owed in store.owed()] == [2, 3, 4]
    assert store.counts() == (4, 1, 1)


async def test_no_submission_is_done_and_an_error_is_owed(store: RunStore) -> None:
    await store.add_generation(1, Generation(End.NO_CODE, None, ()))
    await store.add_error(2, "model", "connection refused")
    assert [owed.id for owed in store.owed()] == [2, 3, 4]
    assert store.counts() == (4, 1, 0)


async def test_a_judge_failure_is_no_verdict(store: RunStore) -> None:
    with pytest.raises(ValueError, match="no verdict"):
        await store.add_judgement(
            a_problem(), Submission("", "python"), Judgement(Verdict.IE, error="lost")
        )


async def test_identical_submissions_share_one_judgement(store: RunStore) -> None:
    for attempt in (1, 3):  # samples 0 and 1 of problem "sum"
        await store.add_generation(attempt, submitted())
    await store.add_judgement(a_problem(), Submission("print(3)", "python"), solved())
    await store.add_judgement(a_problem(), Submission("print(3)", "python"), solved())
    assert store.counts() == (4, 2, 2)


async def test_a_submission_with_lone_surrogates_is_stored_and_found_again(
    store: RunStore,
) -> None:
    await store.add_generation(1, submitted("print('\ud800')"))
    owed = store.owed()[0]
    assert owed.submission is not None
    await store.add_judgement(a_problem(), owed.submission, solved())
    assert store.owed()[0].id == 2


def test_planning_twice_changes_nothing_and_more_samples_extend(store: RunStore) -> None:
    store.add_attempts(plan([CELL], ["sum", "other"], n=2, run_seed=0))
    assert store.counts()[0] == 4
    store.add_attempts(plan([CELL], ["sum", "other"], n=5, run_seed=0))
    assert store.counts()[0] == 10


def test_changed_problem_settings_or_judging_are_refused(store: RunStore) -> None:
    with pytest.raises(UsageError, match="'sum' has changed"):
        store.add_problems([a_problem(digest="d2")])
    with pytest.raises(UsageError, match="turns: 1 → 2"):
        store.add_cell(replace(CELL, mode_hash="other", settings={"turns": 2}))
    with pytest.raises(UsageError, match="docker"):
        store.add_judging({"sandbox": "docker"})


def test_a_second_driver_is_refused(store: RunStore) -> None:
    with pytest.raises(UsageError, match=f"process {os.getpid()}"):
        RunStore(store.folder)


def test_a_foreign_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "run.sqlite").write_bytes(b"not a database at all" * 100)
    with pytest.raises(Exception, match=r"run\.sqlite: cannot be opened"):
        RunStore(tmp_path)
    assert (tmp_path / "run.sqlite").read_bytes().startswith(b"not a database")


def test_what_was_reported_stored_survives_sigkill(tmp_path: Path) -> None:
    """The child prints an attempt's id only once it is on disk; we kill it in the middle."""
    program = textwrap.dedent("""
        import asyncio, sys
        sys.path.insert(0, sys.argv[2])
        from pathlib import Path
        from tests.run.test_store import CELL, a_problem, submitted
        from agent.run.plan import plan
        from agent.run.store import RunStore
        store = RunStore(Path(sys.argv[1]))
        store.add_problems([a_problem()])
        store.add_cell(CELL)
        store.add_attempts(plan([CELL], ["sum"], n=100000, run_seed=0))
        async def one(i):
            await store.add_generation(i, submitted(f"print({i})"))
            print(i, flush=True)
        async def main():
            for start in range(1, 100000, 50):
                await asyncio.gather(*(one(i) for i in range(start, start + 50)))
        asyncio.run(main())
    """)
    root = str(Path(__file__).parents[2])
    child = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path / "run"), root], stdout=subprocess.PIPE
    )
    assert child.stdout is not None
    reported = [int(child.stdout.readline()) for _ in range(500)]
    child.send_signal(signal.SIGKILL)
    reported += [int(line) for line in child.stdout.read().split(b"\n")[:-1]]
    child.wait()

    store = RunStore(tmp_path / "run")  # the lock died with its owner
    store.close()
    db = sqlite3.connect(tmp_path / "run" / "run.sqlite")
    stored = {row[0] for row in db.execute("SELECT attempt FROM generations")}
    assert set(reported) <= stored
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


async def test_a_full_disk_is_one_clear_error_and_the_run_goes_on_after(store: RunStore) -> None:
    pages = store.db.execute("PRAGMA page_count").fetchone()[0]
    store.db.execute(f"PRAGMA max_page_count = {pages + 1}")
    with pytest.raises(Exception, match="re-issue the same command"):
        await asyncio.gather(*(store.add_generation(1, submitted("x" * 10**6)) for _ in range(1)))
    store.db.execute("PRAGMA max_page_count = 1000000")
    await store.add_generation(1, submitted())
    assert store.owed()[0].submission is not None


async def test_one_wrong_piece_does_not_take_its_neighbours_down(store: RunStore) -> None:
    await store.add_generation(1, submitted())
    results = await asyncio.gather(
        *(store.add_generation(attempt, submitted()) for attempt in (1, 2, 3)),
        return_exceptions=True,
    )
    assert isinstance(results[0], Exception)
    assert results[1:] == [None, None]


@given(st.integers(1, 7), st.integers(1, 30))
def test_shards_part_the_plan(count: int, n: int) -> None:
    whole = list(plan([CELL], ["a", "b", "c"], n=n, run_seed=1))
    parts = [[a for a in whole if Shard(i + 1, count).holds(a)] for i in range(count)]
    assert sorted(map(repr, whole)) == sorted(repr(a) for part in parts for a in part)


def test_no_two_samples_share_a_seed() -> None:
    seeds = {
        seed_of(0, problem, mode, model, sample)
        for problem in ("a", "b")
        for mode in ("reasoning", "agentic")
        for model in ("m_alpha1", "m_alpha1.5")
        for sample in range(500)
    }
    assert len(seeds) == 4000
    assert seed_of(0, "a", "reasoning", "m", 0) == seed_of(0, "a", "reasoning", "m", 0)


@pytest.mark.parametrize("text", ["", "3", "0/4", "5/4", "a/b", "1/2/3"])
def test_a_wrong_shard_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError, match="--shard"):
        Shard.parse(text)
