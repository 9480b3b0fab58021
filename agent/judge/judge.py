"""The judge: a problem and a submission in, a verdict for every test out."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import asdict, dataclass, replace
from typing import Any

from agent.errors import UsageError
from agent.judge.checkers import CheckerProgram
from agent.judge.compare import Comparison, compare
from agent.judge.compile import Compiled, Compiler
from agent.judge.decide import any_wrong, coverage, ended_well, how_it_ended, verdict_of
from agent.judge.function import HARNESS, LANGUAGES, SOURCE, compare_result, stdin_of
from agent.judge.growth import growth
from agent.judge.interactive import interact
from agent.judge.languages import Language, Languages, Program, load_languages
from agent.judge.once import Once
from agent.judge.room import Room
from agent.judge.verdict import Judgement, Submission, TestResult, Verdict, first_failure
from agent.sandbox import (
    Backend,
    Command,
    Ended,
    Execution,
    Limits,
    Sandbox,
    SandboxError,
    SandboxInfo,
    SandboxSpec,
)
from agent.sandbox.pool import SandboxPool
from agent.suite.problem import Checker, Problem, ProblemKind, Test, Tokens

SANDBOX_BYTES = 6 << 30  # the largest memory limit that a problem may have
HARD = 2.0  # times the limit: there a program is killed, and below it a TLE is measured again
ALONE = 2  # further measurements of a near-limit TLE, with nothing beside it
TRIES = 3  # of a judgement whose sandbox or checker failed
_THREAD_BYTES = 1 << 20  # larger outputs are compared in a thread


@dataclass(frozen=True, slots=True)
class Ran:
    """What a program did with an input of the caller's. execution None: it does not compile."""

    compile_output: str
    execution: Execution | None


@dataclass(frozen=True, slots=True)
class _Job:
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


class Judge:
    """Judges submissions side by side in `workers` sandboxes. Made by `open_judge`."""

    def __init__(
        self,
        backend: Backend,
        *,
        workers: int,
        languages: Languages,
        cache: bool,
        owner: str,
    ) -> None:
        self.workers = workers
        self.languages = languages
        self.compiler = Compiler(cache=cache)
        spec = SandboxSpec(image="judge", owner=owner, memory_bytes=SANDBOX_BYTES)
        self._pool = SandboxPool(backend, spec, workers, pin=workers <= physical_cores())
        self._checkers = SandboxPool(backend, replace(spec, cpu=None), workers)
        self._room = Room()
        self._once: Once[Judgement] = Once()
        self._info: SandboxInfo | None = None

    async def open(self) -> None:
        """Starts the first sandbox, so that what does not work here is told at once."""
        async with self._pool.lease() as sandbox:
            self._info = sandbox.info

    @property
    def conditions(self) -> Mapping[str, Any]:
        """What of this judge can change a verdict, to be recorded with a run."""
        assert self._info is not None, "not open"
        entries = {one.name: one.entry.model_dump() for one in self.languages}
        digest = hashlib.sha256(repr(sorted(entries.items())).encode()).hexdigest()[:16]
        info = asdict(self._info)
        return {
            "sandbox": info["backend"],
            "accounting": info["accounting"],
            "supervisor": info["supervisor"],
            "image": info["image"],
            "notes": list(info["notes"]),
            "language_definitions": digest,
            "hard_limit": HARD,
            "measured_alone": ALONE,
        }

    async def judge(
        self,
        problem: Problem,
        submission: Submission | Program,
        *,
        all_tests: bool = False,
        time_factor: float | None = None,
        explain: bool = False,
        in_order: bool = False,
    ) -> Judgement:
        """Judges one submission; equal ones under way at the same time are judged once.

        all_tests: go on after the first failure. time_factor: on the problem's time limit (None:
        the language's own). explain: say for hidden tests too what was expected. in_order: run the
        tests as the problem lists them instead of by input length.
        A failure of ours is a judgement IE with `error`. Raises UsageError for an unknown language
        and for a problem that cannot be judged at all.
        """
        language = self.languages.find(submission.language)
        _check(problem)
        factor = language.entry.time_factor if time_factor is None else time_factor
        program = _program(submission, language)
        options = (all_tests, explain, in_order)
        job = _Job(problem, program, language, problem.limits.time_s * factor, *options)
        key = (id(problem.tests), problem.digest, problem.limits, program, factor, options)
        return await self._once.do(key, lambda: self._judge(job))

    async def run(
        self,
        submission: Submission | Program,
        stdin: bytes,
        limits: Limits,
    ) -> Ran:
        """Runs a submission on an input as the judge would, without judging it."""
        language = self.languages.find(submission.language)
        program = _program(submission, language)
        async with self._pool.lease() as sandbox:
            compiled = await self._compile(sandbox, language, program)
            if not compiled.ok:
                return Ran(compiled.output, None)
            command = Command(
                language.run_command(program),
                limits,
                stdin=stdin,
                env=language.env,
                readonly_work=True,
            )
            async with self._room.shared():
                return Ran(compiled.output, await sandbox.run(command))

    def lease(self) -> AbstractAsyncContextManager[Sandbox]:
        """One of the judge's empty sandboxes."""
        return self._pool.lease()

    async def close(self) -> None:
        """Removes the sandboxes. Safe to call twice."""
        await self._pool.close()
        await self._checkers.close()

    async def _judge(self, job: _Job) -> Judgement:
        error = ""
        for attempt in range(TRIES):
            try:
                return await self._judge_once(job)
            except SandboxError as failed:
                error = str(failed)
                await asyncio.sleep(0.1 * attempt)
        return Judgement(Verdict.IE, all_tests=job.all_tests, error=error)

    async def _judge_once(self, job: _Job) -> Judgement:
        """Raises SandboxError for every failure of ours."""
        if job.problem.kind is ProblemKind.FUNCTION and job.language.name not in LANGUAGES:
            return _does_not_compile(job, Compiled(False, output="this problem asks for Python"))
        async with AsyncExitStack() as stack:
            sandbox = await stack.enter_async_context(self._pool.lease())
            compiled = await self._compile(sandbox, job.language, job.program)
            if not compiled.ok:
                return _does_not_compile(job, compiled)
            checker = await self._open_checker(stack, job)
            work = _Work(self._room, job, sandbox, checker)
            await work.prepare()
            tests = await work.tests()
        passed, empty = coverage(tests)
        fitted = growth(tests) if job.all_tests else None
        verdict = first_failure(tests)
        return Judgement(
            verdict=verdict,
            tests=tuple(tests),
            coverage=passed,
            empty_coverages=empty,
            all_tests=job.all_tests,
            compile_output=compiled.output,
            compile_cpu_s=compiled.cpu_s,
            time_limit_s=job.time_s,
            any_wrong=any_wrong(tests),
            extra={"growth": asdict(fitted)} if fitted else {},
        )

    async def _compile(self, sandbox: Sandbox, language: Language, program: Program) -> Compiled:
        """Compiles, and leaves nothing in the sandbox but what runs."""
        async with self._room.shared():
            compiled = await self.compiler.compile(sandbox, language, program)
        if compiled.ok:
            await sandbox.reset()
            await sandbox.put(compiled.files, executable=compiled.executable)
        return compiled

    async def _open_checker(self, stack: AsyncExitStack, job: _Job) -> CheckerProgram | None:
        comparator = job.problem.comparator
        if not isinstance(comparator, Checker):
            return None
        sandbox = await stack.enter_async_context(self._checkers.lease())
        async with self._room.shared():
            return await CheckerProgram.prepare(comparator, self.languages, self.compiler, sandbox)


class _Work:
    """One compiled submission on its way through the tests."""

    def __init__(
        self, room: Room, job: _Job, sandbox: Sandbox, checker: CheckerProgram | None
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


async def open_judge(
    backend: Backend,
    *,
    workers: int | None = None,
    languages: Languages | None = None,
    cache: bool = True,
    owner: str = "",
) -> Judge:
    """A judge on `backend`, which stays the caller's to close.

    workers: submissions judged side by side (None: one for each physical core). cache: keep
    compiled programs on disk. Raises SandboxError when no sandbox can be started.
    """
    judge = Judge(
        backend,
        workers=workers or physical_cores(),
        languages=languages or load_languages(),
        cache=cache,
        owner=owner,
    )
    try:
        await judge.open()
    except BaseException:
        await judge.close()
        raise
    return judge


def physical_cores() -> int:
    """Physical cores that this process may use, at least one: two threads of a core disturb each
    other's times."""
    import os

    threads = os.sched_getaffinity(0)
    seen = set()
    for cpu in threads:
        try:
            with open(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list") as file:
                seen.add(file.read().strip())
        except OSError:
            return max(1, len(threads))
    return max(1, len(seen))


def _program(submission: Submission | Program, language: Language) -> Program:
    if isinstance(submission, Program):
        return submission
    source = submission.source.encode("utf-8", "replace")
    return Program(((language.entry.file, source),), language.name)


def _does_not_compile(job: _Job, compiled: Compiled) -> Judgement:
    skipped = tuple(TestResult(test.name, Verdict.SK, test.input.size) for test in job.tests)
    passed, empty = coverage(skipped)
    return Judgement(
        verdict=Verdict.CE,
        tests=skipped,
        coverage=dict.fromkeys(passed, False),
        empty_coverages=empty,
        all_tests=job.all_tests,
        compile_output=compiled.output,
        compile_cpu_s=compiled.cpu_s,
        any_wrong=any_wrong([TestResult("", Verdict.CE, 0)]),
    )


def _check(problem: Problem) -> None:
    """Raises UsageError when no submission could be judged."""
    if not len(problem.tests):
        raise UsageError(f"problem {problem.id}: it has no tests")
    if problem.limits.memory_bytes > SANDBOX_BYTES:
        raise UsageError(
            f"problem {problem.id}: its memory limit of {problem.limits.memory_bytes} bytes is"
            f" above the {SANDBOX_BYTES} that a sandbox has"
        )
    is_checker = isinstance(problem.comparator, Checker)
    if problem.kind is ProblemKind.INTERACTIVE and not is_checker:
        raise UsageError(f"problem {problem.id}: interactive, but it has no interactor")
    if problem.kind is ProblemKind.FUNCTION and (is_checker or not problem.function):
        raise UsageError(f"problem {problem.id}: it names no function, or has a checker")
