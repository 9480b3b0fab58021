"""One submission on its way through the tests of a problem."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from agent.errors import UsageError
from agent.judge.checkers import CheckerProgram
from agent.judge.compare import Comparison, compare
from agent.judge.decide import ended_well, how_it_ended, verdict_of
from agent.judge.function import HARNESS, SOURCE, compare_result, stdin_of
from agent.judge.interactive import interact
from agent.judge.languages import Language, Program
from agent.judge.room import Room
from agent.judge.verdict import TestResult, Verdict
from agent.sandbox import Command, Ended, Execution, Limits, Sandbox, SandboxError
from agent.suite.problem import Problem, ProblemKind, Test, Tokens

HARD = 2.0  # times the limit: there a program is killed, and below it a TLE is measured again
ALONE = 2  # further measurements of a near-limit TLE, with nothing beside it
_THREAD_BYTES = 1 << 20  # larger outputs are compared in a thread


@dataclass(frozen=True, slots=True)
class Job:
    """One judgement to make."""

    problem: Problem
    program: Program
    language: Language
    time_s: float
    all_tests: bool
    explain: bool
    in_order: bool

    @property
    def tests(self) -> Sequence[Test]:
        """In the order in which they run."""
        tests = self.problem.tests
        return tests if self.in_order else sorted(tests, key=lambda test: test.input.size)

    @property
    def limits(self) -> Limits:
        """Of one test: killed well above the soft limit, so that a near miss can be told."""
        given = self.problem.limits
        return Limits(
            cpu_s=self.time_s * HARD,
            idle_s=max(3 * self.time_s, self.time_s + 2),
            memory_bytes=given.memory_bytes,
            wall_s=60 + 30 * self.time_s,
            stdout_bytes=given.output_bytes,
        )


class Work:
    """One compiled submission on its way through the tests."""

    def __init__(
        self, room: Room, job: Job, sandbox: Sandbox, checker: CheckerProgram | None
    ) -> None:
        self.room, self.job, self.sandbox, self.checker = room, job, sandbox, checker
        self.is_function = job.problem.kind is ProblemKind.FUNCTION
        self.is_interactive = job.problem.kind is ProblemKind.INTERACTIVE

    async def prepare(self) -> None:
        if self.is_function:
            await self.sandbox.put({HARNESS: SOURCE})

    async def tests(self) -> list[TestResult]:
        """All tests in order; after the first failure SK unless all were asked for."""
        results: list[TestResult] = []
        going = True
        for test in self.job.tests:
            if going:
                results.append(await self._test(test))
                going = self.job.all_tests or results[-1].verdict is Verdict.AC
            else:
                results.append(TestResult(test.name, Verdict.SK, test.input.size))
        return results

    async def _test(self, test: Test) -> TestResult:
        """Measures one test; again, alone, when it was near the limit or starved."""
        time_s = self.job.time_s
        async with self.room.shared():
            execution, comparison = await self._measure(test)
        for _ in range(ALONE):
            if execution.ended is not Ended.WALL_LIMIT:
                break
            async with self.room.alone():
                execution, comparison = await self._measure(test)
        samples = [execution.cpu_s]
        while len(samples) <= ALONE and time_s < execution.cpu_s <= HARD * time_s:
            async with self.room.alone():
                again, compared = await self._measure(test)
            samples.append(again.cpu_s)
            if again.ended is not Ended.WALL_LIMIT and again.cpu_s < execution.cpu_s:
                execution, comparison = again, compared
        verdict = verdict_of(execution, comparison, time_s)
        if verdict is Verdict.IE:
            raise SandboxError(f"test {test.name}: {how_it_ended(execution) or 'not compared'}")
        return TestResult(
            name=test.name,
            verdict=verdict,
            input_bytes=test.input.size,
            cpu_s=execution.cpu_s,
            wall_s=execution.wall_s,
            peak_bytes=execution.peak_bytes,
            message=self._message(test, verdict, execution, comparison),
            cpu_samples=tuple(samples) if len(samples) > 1 else (),
        )

    async def _measure(self, test: Test) -> tuple[Execution, Comparison | None]:
        """Runs one test and compares; the comparison may be there for a failed run too."""
        job = self.job
        if self.is_interactive:
            assert self.checker is not None, "checked before"
            command = Command(
                job.language.run_command(job.program),
                job.limits,
                env=job.language.env,
                readonly_work=True,
            )
            return await interact(self.sandbox, command, self.checker, test, job.time_s)
        nonce = secrets.token_hex(16)
        argv = job.language.run_command(job.program)
        stdin = test.input.read()
        if self.is_function:
            main = job.language.sources(job.program)[0]
            argv = (
                *(HARNESS if word == main else word for word in argv),
                main,
                job.problem.function,
            )
            stdin = stdin_of(stdin, nonce)
        execution = await self.sandbox.run(
            Command(
                argv,
                job.limits,
                stdin=stdin,
                env=job.language.env,
                readonly_work=True,
                result_fd=self.is_function,
            )
        )
        if not ended_well(execution, job.time_s):
            return execution, None
        return execution, await self._compare(test, execution, nonce)

    async def _compare(self, test: Test, execution: Execution, nonce: str) -> Comparison:
        comparator = self.job.problem.comparator
        if self.checker is not None:
            return await self.checker.check(test, execution.stdout)
        assert isinstance(comparator, Tokens), "checked before"
        answer = test.answer.read()
        if self.is_function:
            try:
                return compare_result(execution.result, nonce, answer, comparator)
            except ValueError as error:
                raise UsageError(
                    f"test {test.name}: the expected result is no JSON: {error}"
                ) from None
        if len(answer) + len(execution.stdout) < _THREAD_BYTES:
            return compare(execution.stdout, answer, comparator)
        return await asyncio.to_thread(compare, execution.stdout, answer, comparator)

    def _message(
        self, test: Test, verdict: Verdict, execution: Execution, comparison: Comparison | None
    ) -> str:
        """For a person. What was expected is told of samples only, unless the caller asks."""
        if verdict is Verdict.AC:
            return ""
        if verdict is Verdict.WA and comparison is not None:
            return comparison.note if test.sample or self.job.explain else ""
        said = execution.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2][-200:]
        parts = [how_it_ended(execution), said if verdict is Verdict.RE else ""]
        return ": ".join(part for part in parts if part)
