"""Generated tests: made once in a sandbox, kept in the cache, read from disk afterwards.

A file in the cache is named by the hash of everything that made it (program, seed, arguments,
input), so it never goes stale; beside it lies its own size and hash, written last.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from agent.sandbox import Backend, Command, Ended, Execution, Limits, Sandbox, SandboxSpec
from agent.shipped import cache_folder
from agent.suite.data import File, Generated
from agent.suite.digest import canonical, sha256
from agent.suite.errors import SuiteError

FORMAT = 1  # raised when the same recipe would give another file
LIMITS = Limits(cpu_s=120, idle_s=120, memory_bytes=1536 << 20, stdout_bytes=256 << 20)
_PYTHON = ("python3", "-B", "-X", "utf8", "-X", "int_max_str_digits=0")
_ENV = {"PYTHONHASHSEED": "0"}  # sets and dicts of strings in the same order everywhere


@dataclass(frozen=True, slots=True)
class Recipe:
    """How an input is made: `python3 generator.py SEED ARGS…`."""

    generator: Path
    seed: int
    args: tuple[str, ...]

    @property
    def key(self) -> str:
        program = _hash_of(self.generator, _stamp(self.generator))
        return canonical(
            {"format": FORMAT, "generator": program, "seed": self.seed, "args": self.args}
        )


@dataclass(frozen=True, slots=True)
class Plan:
    """One test to make: an input (from a recipe or a file) and the answer of a reference."""

    name: str
    reference: Path
    recipe: Recipe | None = None
    input_file: Path | None = None
    group: str = ""


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError as error:
        raise SuiteError(f"{path}: {error.strerror}") from error
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=4096)
def _hash_of(path: Path, stamp: tuple[int, int]) -> str:
    return sha256(path.read_bytes())


def made(plan: Plan) -> tuple[File | Generated, Generated] | None:
    """Input and answer when the cache holds both, else None."""
    given = _input(plan)
    if given is None:
        return None
    answer = _stored(_answer_key(plan, given), "ans")
    return (given, answer) if answer is not None else None


def _input(plan: Plan) -> File | Generated | None:
    if plan.recipe is not None:
        return _stored(plan.recipe.key, "in")
    assert plan.input_file is not None
    return File.at(plan.input_file)


def _answer_key(plan: Plan, given: File | Generated) -> str:
    program = _hash_of(plan.reference, _stamp(plan.reference))
    return canonical({"format": FORMAT, "reference": program, "input": given.sha256()})


def _place(key: str, kind: str) -> Path:
    return cache_folder("tests") / key[:2] / f"{key}.{kind}"


def _stored(key: str, kind: str) -> Generated | None:
    path = _place(key, kind)
    try:
        note = json.loads(path.with_suffix(f".{kind}.json").read_text())
        size = path.stat().st_size
    except (OSError, ValueError):
        return None
    if not isinstance(note, dict) or note.get("size") != size or "sha256" not in note:
        return None
    return Generated(path, size, str(note["sha256"]))


def _store(key: str, kind: str, content: bytes) -> Generated:
    path = _place(key, kind)
    path.parent.mkdir(parents=True, exist_ok=True)
    hash_ = sha256(content)
    _write(path, content)
    note = json.dumps({"size": len(content), "sha256": hash_})
    _write(path.with_suffix(f".{kind}.json"), note.encode())
    return Generated(path, len(content), hash_)


def _write(path: Path, content: bytes) -> None:
    """All or nothing, even when two processes make the same file."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


async def changed(plans: Sequence[Plan], backend: Backend) -> list[str]:
    """Makes generated inputs a second time; one sentence for each that comes out differently."""
    found: list[str] = []
    sandbox = await backend.start(SandboxSpec(image="judge", owner="tests"))
    try:
        for plan in plans:
            known = _input(plan)
            if plan.recipe is None or known is None:
                continue
            args = (str(plan.recipe.seed), *plan.recipe.args)
            again = await _run(sandbox, plan.recipe.generator, args, plan)
            if sha256(again) != known.sha256():
                found.append(
                    f"{plan.recipe.generator}: prints something else each time for"
                    f" test {plan.name!r}; seed everything random with its first argument"
                )
    finally:
        await sandbox.close()
    return found


async def make(
    plans: Sequence[Plan], backend: Backend, progress: Callable[[int], None] = lambda done: None
) -> None:
    """Makes what the cache lacks, one sandbox a core. progress: called with plans done so far.

    Raises SuiteError when a generator or reference fails; SandboxError when the sandbox does.
    """
    waiting = list(reversed(plans))
    done = 0

    async def worker() -> None:
        nonlocal done
        sandbox = await backend.start(SandboxSpec(image="judge", owner="tests"))
        try:
            while waiting:
                await _make_one(waiting.pop(), sandbox)
                done += 1
                progress(done)
        finally:
            await sandbox.close()

    cores = len(os.sched_getaffinity(0))
    async with asyncio.TaskGroup() as group:
        for _ in range(min(cores, len(plans))):
            group.create_task(worker())


async def _make_one(plan: Plan, sandbox: Sandbox) -> None:
    given = _input(plan)
    if given is None:
        assert plan.recipe is not None
        recipe = plan.recipe
        content = await _run(sandbox, recipe.generator, (str(recipe.seed), *recipe.args), plan)
        given = _store(recipe.key, "in", content)
    if _stored(_answer_key(plan, given), "ans") is None:
        answer = await _run(sandbox, plan.reference, (), plan, stdin=given.read())
        _store(_answer_key(plan, given), "ans", answer)


async def _run(
    sandbox: Sandbox, program: Path, args: tuple[str, ...], plan: Plan, stdin: bytes = b""
) -> bytes:
    await sandbox.reset()
    await sandbox.put({program.name: program.read_bytes()})
    argv = (*_PYTHON, program.name, *args)
    result = await sandbox.run(Command(argv, LIMITS, stdin=stdin, env=_ENV))
    if result.ended is not Ended.EXITED or result.exit_code != 0:
        command = " ".join(("python3", program.name, *args))
        raise SuiteError(f"{program}: test {plan.name!r}: `{command}` {_why(result)}")
    return result.stdout


def _why(result: Execution) -> str:
    if result.ended is not Ended.EXITED:
        return f"ended by {result.ended.value.replace('_', ' ')} after {result.cpu_s:.1f} CPU s"
    lines = result.stderr.decode("utf-8", "replace").split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "no message")
    return f"ended with exit code {result.exit_code}: {last[:300]}"
