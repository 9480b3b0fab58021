"""What a test costs here: against a bare fork and exec of the same program on the same machine."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import secrets
import stat
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from agent.judge.judge import Judge, open_judge
from agent.judge.languages import Program
from agent.judge.verdict import Verdict
from agent.sandbox import SandboxError
from agent.sandbox.backends import open_backend
from agent.suite.data import Bytes
from agent.suite.problem import Problem, ProblemLimits, Test

_TESTS = 200  # of one submission; as many bare runs
_SOURCES = {
    "cpp": b"#include <bits/stdc++.h>\nint main() { long long a, b; std::cin >> a >> b;"
    b" std::cout << a + b << '\\n'; }\n",
    "python": b"a, b = map(int, input().split())\nprint(a + b)\n",
}


@dataclass(frozen=True, slots=True)
class Cost:
    """Of a trivial test in one language. CPU milliseconds; of everything involved, ours included.

    cpu_ms is None where the sandbox's processes are not our children (docker): then only the
    test's own time and ours are known, and so `ratio` is a lower bound.
    """

    tests_per_s: float  # all workers together
    test_cpu_ms: float  # as the supervisor measured the program
    cpu_ms: float | None
    bare_cpu_ms: float
    ratio: float


@dataclass(frozen=True, slots=True)
class Figures:
    sandbox: str
    workers: int
    costs: Mapping[str, Cost]
    first_compile_s: float
    second_compile_s: float
    cache_hit_rate: float

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def as_text(self) -> str:
        lines = [f"sandbox {self.sandbox}, {self.workers} workers"]
        for name, cost in self.costs.items():
            whole = f"{cost.cpu_ms:.2f} ms" if cost.cpu_ms is not None else "unknown here"
            bound = "" if cost.cpu_ms is not None else "at least "
            lines.append(
                f"{name}: {cost.tests_per_s:.0f} tests/s; CPU per test {whole}, bare"
                f" {cost.bare_cpu_ms:.2f} ms: {bound}{cost.ratio:.2f} times"
            )
        lines.append(
            f"compile: first {self.first_compile_s:.3f} s, again {self.second_compile_s:.3f} s;"
            f" cache hit rate {self.cache_hit_rate:.0%}"
        )
        return "\n".join(lines)


async def bench(sandbox: str = "auto", workers: int | None = None) -> Figures:
    """Measures; takes some seconds. Raises SandboxError when a trivial program is not accepted."""
    async with contextlib.AsyncExitStack() as stack:
        backend = await open_backend(sandbox)
        stack.push_async_callback(backend.close)
        judge = await open_judge(backend, workers=workers)
        stack.push_async_callback(judge.close)
        marker = f"// {secrets.token_hex(8)}\n".encode()  # never compiled before
        fresh = Program((("solution.cpp", marker + _SOURCES["cpp"]),), "cpp")
        first = await _timed(judge, fresh)
        second = await _timed(judge, fresh)
        costs = {name: await _cost(judge, name) for name in _SOURCES}
        rate = judge.compiler.rate
        return Figures(
            backend.name, judge.workers, costs, first, second, rate.hits / max(1, rate.asked)
        )


async def _timed(judge: Judge, program: Program) -> float:
    """Wall seconds of compiling and one test."""
    began = time.monotonic()
    await _accepted(judge, _problem(1), program)
    return time.monotonic() - began


async def _cost(judge: Judge, language: str) -> Cost:
    program = Program(((judge.languages.find(language).entry.file, _SOURCES[language]),), language)
    # As many equal submissions as workers, each a problem of its own: none is spared.
    problems = [_problem(_TESTS, f"bench{i}") for i in range(judge.workers)]
    await asyncio.gather(
        *(_accepted(judge, _problem(1, f"warm{i}"), program) for i in range(judge.workers))
    )
    before, ours, began = _children_cpu(), time.process_time(), time.monotonic()
    found = await asyncio.gather(*(_accepted(judge, problem, program) for problem in problems))
    wall, own = time.monotonic() - began, time.process_time() - ours
    count = _TESTS * judge.workers
    tests = sum(found) / count * 1e3
    inside = (_children_cpu() - before) / count * 1e3
    whole = inside + own / count * 1e3 if inside > tests else None
    bare = await _bare(judge, program)
    known = whole if whole is not None else tests + own / count * 1e3
    return Cost(count / wall, tests, whole, bare, known / bare)


async def _accepted(judge: Judge, problem: Problem, program: Program) -> float:
    """CPU seconds of all tests."""
    judgement = await judge.judge(problem, program)
    if judgement.verdict is not Verdict.AC:
        raise SandboxError(
            f"a trivial {program.language} program gets {judgement.verdict}:"
            f" {judgement.error or judgement.compile_output}"
        )
    return sum(test.cpu_s for test in judgement.tests)


def _problem(count: int, name: str = "bench") -> Problem:
    tests = tuple(
        Test(str(i), Bytes(f"{i} {i}\n".encode()), Bytes(f"{2 * i}\n".encode()))
        for i in range(count)
    )
    return Problem(name, name, "", ProblemLimits(2.0, 256 << 20), tests, digest=name)


async def _bare(judge: Judge, program: Program) -> float:
    """CPU milliseconds of one bare fork and exec of the same program, ours included."""
    language = judge.languages.find(program.language)
    async with judge.lease() as sandbox:
        compiled = await judge.compiler.compile(sandbox, language, program)
    with tempfile.TemporaryDirectory() as folder:
        for name, content in compiled.files.items():
            path = Path(folder, name)
            path.write_bytes(content)
            path.chmod(path.stat().st_mode | stat.S_IXUSR)
        Path(folder, "in").write_bytes(b"1 2\n")
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin", **language.env}
        return await asyncio.to_thread(_spawn, language.run_command(program), folder, env)


def _spawn(argv: Sequence[str], folder: str, env: Mapping[str, str]) -> float:
    import subprocess

    before = _times()
    for _ in range(_TESTS):
        with open(f"{folder}/in", "rb") as given:
            subprocess.run(
                argv, cwd=folder, env=env, stdin=given, stdout=subprocess.DEVNULL, check=True
            )
    return (_times() - before) / _TESTS * 1e3


def _times() -> float:
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_THREAD, resource.RUSAGE_CHILDREN))
    )


def _children_cpu() -> float:
    """CPU seconds of all our descendants, those that they have reaped included."""
    tick = os.sysconf("SC_CLK_TCK")
    parents: dict[int, int] = {}
    used: dict[int, float] = {}
    for pid, fields in _processes():
        parents[pid] = int(fields[1])
        used[pid] = sum(map(int, fields[11:15])) / tick
    me, total = os.getpid(), 0.0
    for pid, seconds in used.items():
        above = pid
        while above in parents and above != me:
            above = parents[above]
        if above == me and pid != me:
            total += seconds
    return total


def _processes() -> Iterator[tuple[int, list[str]]]:
    """pid, and the fields of its stat file after the name."""
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                text = Path(entry.path, "stat").read_text()
                yield int(entry.name), text.rpartition(")")[2].split()
