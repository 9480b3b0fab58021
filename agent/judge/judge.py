"""The judge: a problem and a submission in, a verdict for every test out."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import asdict, dataclass, replace
from typing import Any

from agent.errors import UsageError
from agent.judge.checkers import CheckerProgram
from agent.judge.compile import Compiled, Compiler
from agent.judge.decide import any_wrong, coverage
from agent.judge.function import LANGUAGES
from agent.judge.growth import growth
from agent.judge.languages import Language, Languages, Program, load_languages
from agent.judge.once import Once
from agent.judge.room import Room
from agent.judge.verdict import Judgement, Submission, TestResult, Verdict, first_failure
from agent.judge.work import ALONE, HARD, Job, Work
from agent.sandbox import (
    Backend,
    Command,
    Execution,
    Limits,
    Sandbox,
    SandboxError,
    SandboxInfo,
    SandboxSpec,
)
from agent.sandbox.pool import SandboxPool
from agent.suite.problem import Checker, Problem, ProblemKind

SANDBOX_BYTES = 6 << 30  # the largest memory limit that a problem may have
TRIES = 3  # of a judgement whose sandbox or checker failed


@dataclass(frozen=True, slots=True)
class Ran:
    """What a program did with an input of the caller's. execution None: it does not compile."""

    compile_output: str
    execution: Execution | None


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
        job = Job(problem, program, language, problem.limits.time_s * factor, *options)
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

    async def _judge(self, job: Job) -> Judgement:
        error = ""
        for attempt in range(TRIES):
            try:
                return await self._judge_once(job)
            except SandboxError as failed:
                error = str(failed)
                await asyncio.sleep(0.1 * attempt)
        return Judgement(Verdict.IE, all_tests=job.all_tests, error=error)

    async def _judge_once(self, job: Job) -> Judgement:
        """Raises SandboxError for every failure of ours."""
        if job.problem.kind is ProblemKind.FUNCTION and job.language.name not in LANGUAGES:
            return _does_not_compile(job, Compiled(False, output="this problem asks for Python"))
        async with AsyncExitStack() as stack:
            sandbox = await stack.enter_async_context(self._pool.lease())
            compiled = await self._compile(sandbox, job.language, job.program)
            if not compiled.ok:
                return _does_not_compile(job, compiled)
            checker = await self._open_checker(stack, job)
            work = Work(self._room, job, sandbox, checker)
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

    async def _open_checker(self, stack: AsyncExitStack, job: Job) -> CheckerProgram | None:
        comparator = job.problem.comparator
        if not isinstance(comparator, Checker):
            return None
        sandbox = await stack.enter_async_context(self._checkers.lease())
        async with self._room.shared():
            return await CheckerProgram.prepare(comparator, self.languages, self.compiler, sandbox)


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


def _does_not_compile(job: Job, compiled: Compiled) -> Judgement:
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
