"""Generation and judging side by side: retries, what stays owed, stopping gently."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.errors import InfrastructureError
from agent.judge.verdict import Judgement, Submission, Verdict
from agent.modes import End, Generation
from agent.run import driver as driver_module
from agent.run.driver import Counters, Driver, ServerGone
from agent.run.plan import plan
from agent.run.progress import duration, line
from agent.run.store import Owed, RunStore
from agent.suite.problem import Problem
from tests.run.test_store import CELL, a_problem, solved, submitted

N = 12


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    store = RunStore(tmp_path / "run")
    store.add_problems([a_problem()])
    store.add_cell(CELL)
    store.add_judging({})
    store.add_attempts(plan([CELL], ["sum"], n=N, run_seed=0))
    yield store
    store.close()


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    async def pause(tries: int) -> None:
        await asyncio.sleep(0)

    monkeypatch.setattr(driver_module.Driver, "_pause", staticmethod(pause))


async def accept(problem: Problem, submission: Submission) -> Judgement:
    await asyncio.sleep(0)
    return solved()


def a_driver(store: RunStore, judge: driver_module.Judging = accept, **options: int) -> Driver:
    return Driver(store, {"sum": a_problem()}, judge, Counters(planned=N), judges=2, **options)


async def test_everything_owed_is_made_and_judged(store: RunStore) -> None:
    running = peak = 0

    async def attempts(owed: Owed, problem: Problem) -> Generation:
        nonlocal running, peak
        running += 1
        peak = max(peak, running)
        await asyncio.sleep(0.01)
        running -= 1
        return submitted(f"print({owed.sample})")

    driver = a_driver(store)
    async with driver.judging():
        await driver.generate(store.owed(), attempts, concurrency=4)
    assert store.counts() == (N, N, N)
    assert peak == 4
    assert (driver.counters.done, driver.counters.solved, driver.counters.judging) == (N, N, 0)


async def test_trouble_is_retried_recorded_and_then_left_owed(store: RunStore) -> None:
    async def attempts(owed: Owed, problem: Problem) -> Generation:
        if owed.sample == 3:
            raise InfrastructureError("server died")
        return Generation(End.NO_CODE, None, ())

    driver = a_driver(store)
    async with driver.judging():
        await driver.generate(store.owed(), attempts, concurrency=3)
    assert [owed.sample for owed in store.owed()] == [3]
    assert driver.counters.errors == 3
    assert driver.counters.last_error == "server died"
    assert driver.counters.outcomes == {"no_submission": N - 1}


async def test_a_failing_judge_never_becomes_a_verdict(store: RunStore) -> None:
    calls = 0

    async def judge(problem: Problem, submission: Submission) -> Judgement:
        nonlocal calls
        calls += 1
        if submission.source == "print(5)":
            return Judgement(Verdict.IE, error="worker lost")
        return solved()

    async def attempts(owed: Owed, problem: Problem) -> Generation:
        return submitted(f"print({owed.sample})")

    driver = a_driver(store, judge)
    async with driver.judging():
        await driver.generate(store.owed(), attempts, concurrency=3)
    owed = store.owed()
    assert [item.sample for item in owed] == [5]
    assert owed[0].submission == Submission("print(5)", "python")  # only the judging is owed
    assert calls == N - 1 + 3


async def test_a_server_that_is_gone_stops_the_run_with_one_clear_error(store: RunStore) -> None:
    async def attempts(owed: Owed, problem: Problem) -> Generation:
        raise InfrastructureError("connection refused")

    driver = a_driver(store, patience=7)
    with pytest.raises(ExceptionGroup) as caught:
        async with driver.judging():
            await driver.generate(store.owed(), attempts, concurrency=3)
    assert caught.group_contains(ServerGone, match="7 infrastructure failures in a row")
    assert len(store.owed()) == N


async def test_stopping_finishes_what_runs_and_starts_nothing_new(store: RunStore) -> None:
    driver = a_driver(store)

    async def attempts(owed: Owed, problem: Problem) -> Generation:
        await asyncio.sleep(0.01)
        driver.stopping.set()
        return Generation(End.NO_CODE, None, ())

    async with driver.judging():
        await driver.generate(store.owed(), attempts, concurrency=4)
    assert store.counts()[1] == 4


async def test_cancelling_stops_at_once_and_nothing_finished_is_lost(store: RunStore) -> None:
    waiting = asyncio.Event()

    async def attempts(owed: Owed, problem: Problem) -> Generation:
        if owed.sample == 5:  # the other three slots hang: this one runs once 0 and 1 are stored
            waiting.set()
        if owed.sample >= 2:
            await asyncio.sleep(60)
        return Generation(End.NO_CODE, None, ())

    async def work() -> None:
        driver = a_driver(store)
        async with driver.judging():
            await driver.generate(store.owed(), attempts, concurrency=4)

    task = asyncio.create_task(work())
    await waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(store.owed()) == N - 2


def test_the_progress_line_says_what_matters() -> None:
    counters = Counters(planned=10, done=4, solved=1, judging=2, completion_tokens=500, errors=1)
    text = line(counters, elapsed_s=10.0, tokens_before=0, done_before=2)
    assert "4/10 done, 6 owed" in text
    assert "1 solved" in text
    assert "50 tokens/s" in text
    assert "1 infrastructure errors" in text
    assert "ETA 30s" in text
    assert [duration(s) for s in (5, 65, 3725)] == ["5s", "1m05s", "1h02m"]


async def test_equal_submissions_are_judged_once_also_after_a_restart(store: RunStore) -> None:
    calls = 0

    async def judge(problem: Problem, submission: Submission) -> Judgement:
        nonlocal calls
        calls += 1
        return solved()

    async def attempts(owed: Owed, problem: Problem) -> Generation:
        return submitted("print(3)")

    for part in (slice(0, 4), slice(4, N)):  # one after the other, as two processes would
        driver = Driver(store, {"sum": a_problem()}, judge, Counters(planned=N), judges=1)
        async with driver.judging():
            await driver.generate(store.owed()[: part.stop - part.start], attempts, concurrency=1)
    assert store.counts() == (N, N, N)
    assert calls == 1
