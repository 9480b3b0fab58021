"""A real judge on every backend that is here, under an outer cap that protects the machine."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest

from agent.judge.judge import Judge, open_judge
from agent.judge.languages import Program
from agent.judge.verdict import Judgement, Submission
from agent.sandbox import Backend, Execution, Limits, SandboxError, cgroups
from agent.sandbox.backends import open_backend
from agent.suite.data import Bytes
from agent.suite.problem import Problem, ProblemKind, ProblemLimits, Test, Tokens


def problem(
    *tests: tuple[bytes, bytes],
    time_s: float = 1.0,
    memory_mb: int = 256,
    name: str = "p",
    **fields: Any,
) -> Problem:
    """A problem of (input, answer) pairs, all public."""
    made = tuple(
        Test(f"{i}", Bytes(given), Bytes(answer), sample=True)
        for i, (given, answer) in enumerate(tests)
    )
    limits = ProblemLimits(time_s, memory_mb << 20, fields.pop("output_bytes", 64 << 20))
    return Problem(name, name, "", limits, made, **fields)


def function(name: str, *tests: tuple[bytes, bytes], **fields: Any) -> Problem:
    return problem(*tests, kind=ProblemKind.FUNCTION, function=name, **fields)


SUM = problem((b"1 2\n", b"3\n"), (b"10 20\n", b"30\n"))
TOLERANT = Tokens(float_abs=1e-6, float_rel=1e-6)


class Bench:
    """One judge and the loop that it lives in; tests are plain functions."""

    def __init__(self, runner: asyncio.Runner, backend: Backend, judge: Judge) -> None:
        self.runner, self.backend, self.judge = runner, backend, judge

    def __call__(
        self, found: Problem, source: str | Program, language: str = "python", **options: Any
    ) -> Judgement:
        submission = source if isinstance(source, Program) else Submission(source, language)
        judgement = self.runner.run(self.judge.judge(found, submission, **options))
        assert judgement.error == "" or judgement.verdict == "IE", judgement
        return judgement

    def many(self, found: Problem, sources: Sequence[Submission]) -> list[Judgement]:
        return self.beside([(found, one) for one in sources])

    def beside(self, work: Sequence[tuple[Problem, Submission]]) -> list[Judgement]:
        async def all_of() -> list[Judgement]:
            return await asyncio.gather(*(self.judge.judge(*one) for one in work))

        return self.runner.run(all_of())

    def execute(self, source: str, language: str, stdin: bytes, limits: Limits) -> Execution:
        ran = self.runner.run(self.judge.run(Submission(source, language), stdin, limits))
        assert ran.execution is not None, ran.compile_output
        return ran.execution


@pytest.fixture(scope="session")
def outer_cap() -> Generator[None]:
    """This process and every sandbox below it share few processes and little memory."""
    cgroups.hierarchy.cache_clear()
    found = cgroups.hierarchy()
    if found is None or found.version != 1 or os.geteuid() != 0:
        yield  # without control groups the sandbox's own limits and those of the machine remain
        return
    caps = {"pids": ("pids.max", 3000), "memory": ("memory.limit_in_bytes", 12 << 30)}
    made: list[tuple[Path, Path]] = []
    for name, (file, limit) in caps.items():
        parent = found.folders[name]
        folder = parent / f"judge-tests-{os.getpid()}"
        folder.mkdir()
        (folder / file).write_text(str(limit))
        (folder / "cgroup.procs").write_text(str(os.getpid()))
        made.append((parent, folder))
    cgroups.hierarchy.cache_clear()
    yield
    for parent, folder in made:
        for pid in (folder / "cgroup.procs").read_text().split():
            (parent / "cgroup.procs").write_text(pid)
        folder.rmdir()
    cgroups.hierarchy.cache_clear()


@pytest.fixture(
    scope="session",
    params=["bubblewrap", pytest.param("docker", marks=pytest.mark.docker)],
)
def judge(
    request: pytest.FixtureRequest, outer_cap: None, tmp_path_factory: pytest.TempPathFactory
) -> Generator[Bench]:
    """A judge with two workers and an empty cache of its own."""
    os.environ["FRONTIER_AGENT_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    with asyncio.Runner() as runner:
        try:
            backend = runner.run(open_backend(request.param))
        except SandboxError as error:
            pytest.skip(f"{request.param}: {error}")
        judge = runner.run(open_judge(backend, workers=2))
        yield Bench(runner, backend, judge)
        runner.run(judge.close())
        runner.run(backend.close())
    del os.environ["FRONTIER_AGENT_CACHE"]
