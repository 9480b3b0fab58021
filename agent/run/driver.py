"""Works through what a run owes: generation and judging side by side, each with its own pace."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from agent.errors import InfrastructureError
from agent.judge.verdict import Judgement, Submission, Verdict
from agent.modes import Generation
from agent.run.rows import submission_hash
from agent.run.store import Owed, RunStore
from agent.suite.problem import Problem

Attempts = Callable[[Owed, Problem], Awaitable[Generation]]
Judging = Callable[[Problem, Submission], Awaitable[Judgement]]


@dataclass(slots=True)
class Counters:
    """What the progress display shows; plain numbers, so that it costs the event loop nothing."""

    planned: int = 0
    done: int = 0
    solved: int = 0
    generating: int = 0
    judging: int = 0  # waiting or being judged
    completion_tokens: int = 0
    errors: int = 0
    last_error: str = ""
    stage: str = ""
    finished_now: int = 0  # in this process, for the rate
    outcomes: dict[str, int] = field(default_factory=dict)


class ServerGone(InfrastructureError):
    """So many attempts in a row failed for infrastructure reasons that going on is pointless."""


class Driver:
    """One process' work on a run. Everything that ends is stored before it counts.

    Infrastructure trouble is recorded, tried again a few times with a growing pause, and then left
    owed; after `patience` such failures in a row without any success the run stops.
    """

    def __init__(
        self,
        store: RunStore,
        problems: Mapping[str, Problem],
        judge: Judging,
        counters: Counters,
        *,
        judges: int,
        retries: int = 2,
        patience: int = 50,
    ) -> None:
        self.store, self.problems, self.judge, self.counters = store, problems, judge, counters
        self.judges, self.retries, self.patience = judges, retries, patience
        self.stopping = asyncio.Event()  # set: finish what is running, start nothing new
        self._queue: asyncio.Queue[tuple[Owed, Submission]] = asyncio.Queue()
        self._failures_in_a_row = 0
        self._judged = store.judged()  # (problem, hash of the submission) -> outcome

    @contextlib.asynccontextmanager
    async def judging(self) -> AsyncIterator[None]:
        """Judges in the background for as long as the block lasts, then until nothing waits."""
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._judge_loop()) for _ in range(self.judges)]
            yield
            await self._queue.join()
            for task in tasks:
                task.cancel()

    def judge_later(self, owed: Owed, submission: Submission) -> None:
        """Queues a stored submission; returns at once, so judging never delays generation."""
        self.counters.judging += 1
        self._queue.put_nowait((owed, submission))

    async def generate(self, owed: Sequence[Owed], attempts: Attempts, *, concurrency: int) -> None:
        """Makes the attempts, `concurrency` at a time; returns when all have ended or failed."""
        work = iter(owed)
        async with asyncio.TaskGroup() as group:
            for _ in range(min(concurrency, len(owed))):
                group.create_task(self._generate_loop(work, attempts))

    async def _generate_loop(self, work: Iterator[Owed], attempts: Attempts) -> None:
        for owed in work:
            if self.stopping.is_set():
                return
            self.counters.generating += 1
            try:
                generation = await self._attempt(owed, attempts)
            finally:
                self.counters.generating -= 1
            if generation is not None:
                await self._finish(owed, generation)

    async def _attempt(self, owed: Owed, attempts: Attempts) -> Generation | None:
        """One attempt with retries for infrastructure trouble; None when it stays owed."""
        for tries in range(self.retries + 1):
            try:
                return await attempts(owed, self.problems[owed.problem])
            except InfrastructureError as error:
                await self._record(owed, "model", error)
                if self.stopping.is_set():
                    break
                await self._pause(tries)
        return None

    async def _finish(self, owed: Owed, generation: Generation) -> None:
        await self.store.add_generation(owed.id, generation)
        self._failures_in_a_row = 0
        self.counters.completion_tokens += generation.completion_tokens
        if generation.submission is None:
            self._count("no_submission")
        else:
            self.judge_later(owed, generation.submission)

    async def _judge_loop(self) -> None:
        while True:
            owed, submission = await self._queue.get()
            try:
                if not self.stopping.is_set():  # what still waits stays owed
                    await self._judge(owed, submission)
            finally:
                self.counters.judging -= 1
                self._queue.task_done()

    async def _judge(self, owed: Owed, submission: Submission) -> None:
        problem = self.problems[owed.problem]
        key = (owed.problem, submission_hash(submission))
        if key in self._judged:  # an equal submission has its verdict already
            self._count(self._judged[key])
            return
        for tries in range(self.retries + 1):
            try:
                judgement = await self.judge(problem, submission)
                if judgement.verdict is Verdict.IE or judgement.outcome is None:
                    raise InfrastructureError(judgement.error or "the judge failed")
            except InfrastructureError as error:
                await self._record(owed, "judge", error)
                await self._pause(tries)
                continue
            await self.store.add_judgement(problem, submission, judgement)
            self._failures_in_a_row = 0
            self._judged[key] = judgement.outcome
            self._count(judgement.outcome)
            return

    async def _record(self, owed: Owed, stage: str, error: InfrastructureError) -> None:
        message = " ".join(str(error).split())
        self.counters.errors += 1
        self.counters.last_error = message
        await self.store.add_error(owed.id, stage, message)
        self._failures_in_a_row += 1
        if self._failures_in_a_row >= self.patience:
            raise ServerGone(
                f"{self._failures_in_a_row} infrastructure failures in a row, the last one:"
                f" {message}; nothing is lost: re-issue the same command to go on"
            )

    @staticmethod
    async def _pause(tries: int) -> None:
        await asyncio.sleep(min(30.0, 0.5 * 2**tries) * random.uniform(0.5, 1.5))

    def _count(self, outcome: str) -> None:
        self.counters.done += 1
        self.counters.finished_now += 1
        self.counters.solved += outcome == "solved"
        self.counters.outcomes[outcome] = self.counters.outcomes.get(outcome, 0) + 1
