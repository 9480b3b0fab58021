"""Programs that decide whether an output is right: Kattis output validators, testlib checkers.

A checker is untrusted. It runs in a sandbox of its own, under its own limits; when it fails, that
is the judge's failure (`CheckerError`, verdict IE), never the submission's.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from agent.errors import UsageError
from agent.judge.compare import RIGHT, Comparison
from agent.judge.compile import Compiler
from agent.judge.decide import how_it_ended
from agent.judge.languages import Language, Languages, Program
from agent.sandbox import Command, Ended, Execution, Limits, Sandbox, SandboxError
from agent.suite.problem import Checker, Test

TESTLIB = "FRONTIER_AGENT_TESTLIB"
ACCEPT, REJECT = 42, 43
FEEDBACK = "feedback"
LIMITS = Limits(
    cpu_s=30.0,
    idle_s=60.0,
    memory_bytes=2 << 30,
    wall_s=600.0,
    stdout_bytes=1 << 20,
    kill_on_stdout_limit=False,
)


class CheckerError(SandboxError):
    """The checker does not compile, crashed, hung, or answered what it may not answer."""


class CheckerProgram:
    """A checker compiled and lying in a sandbox, ready for one output after another."""

    def __init__(
        self, checker: Checker, language: Language, sandbox: Sandbox, run: tuple[str, ...]
    ) -> None:
        self.checker, self.language, self.sandbox, self.run = checker, language, sandbox, run
        self._count = 0

    @classmethod
    async def prepare(
        cls, checker: Checker, languages: Languages, compiler: Compiler, sandbox: Sandbox
    ) -> CheckerProgram:
        """Compiles the checker. Raises CheckerError, or UsageError when testlib.h is needed."""
        language = languages.find(checker.language)
        program = Program.at(_with_testlib(checker), language.name)
        compiled = await compiler.compile(sandbox, language, program)
        if not compiled.ok:
            raise CheckerError(f"the checker does not compile: {compiled.output[:500]}")
        await sandbox.reset()
        await sandbox.put(compiled.files, executable=compiled.executable)
        return cls(checker, language, sandbox, language.run_command(program))

    async def lay_out(self, test: Test) -> tuple[str, str, str]:
        """Puts a test's files; returns the names of input, answer and an empty feedback folder."""
        self._count += 1
        feedback = f"{FEEDBACK}{self._count}"  # never one that an earlier run wrote to
        await self.sandbox.put(
            {
                "test.in": test.input.read(),
                "test.ans": test.answer.read(),
                f"{feedback}/.keep": b"",
            }
        )
        return "test.in", "test.ans", feedback

    def argv(self, test: Test, given: str, answer: str, feedback: str) -> tuple[str, ...]:
        """The command of a Kattis validator."""
        flags = (*self.checker.flags, *test.flags)
        return (*self.run, given, answer, f"{feedback}/", *flags)

    async def check(self, test: Test, output: bytes) -> Comparison:
        """Is this output right? Raises CheckerError."""
        given, answer, feedback = await self.lay_out(test)
        if self.checker.kind == "testlib":
            await self.sandbox.put({"output": output})
            command = Command((*self.run, given, "output", answer), LIMITS, env=self.language.env)
            return testlib_decision(await self.sandbox.run(command))
        argv = self.argv(test, given, answer, feedback)
        command = Command(argv, LIMITS, stdin=output, env=self.language.env)
        execution = await self.sandbox.run(command)
        return await self.decision(execution, feedback)

    async def decision(self, execution: Execution, feedback: str) -> Comparison:
        """What a Kattis validator's end means. Raises CheckerError."""
        right = kattis_decision(execution)
        if right:
            return RIGHT
        note = b""
        with contextlib.suppress(FileNotFoundError, ValueError):
            note = await self.sandbox.get(f"{feedback}/judgemessage.txt", max_bytes=64 << 10)
        lines = note.decode("utf-8", "replace").strip()
        return Comparison(False, lines[:300] or "the validator rejects it")


def kattis_decision(execution: Execution) -> bool:
    """42 accepts, 43 rejects, anything else is a failure of the validator."""
    if execution.ended is Ended.EXITED and execution.exit_code in (ACCEPT, REJECT):
        return execution.exit_code == ACCEPT
    raise CheckerError(f"the validator failed: {_failure(execution)}")


def testlib_decision(execution: Execution) -> Comparison:
    """0 accepts, 1 and 2 reject (wrong answer, presentation), 3 is a failure of the checker."""
    note = execution.stderr.decode("utf-8", "replace").strip()[:300]
    if execution.ended is Ended.EXITED:
        if execution.exit_code == 0:
            return RIGHT
        if execution.exit_code in (1, 2):
            return Comparison(False, note or "the checker rejects it")
    raise CheckerError(f"the checker failed: {_failure(execution)}")


def _failure(execution: Execution) -> str:
    said = execution.stderr.decode("utf-8", "replace").strip()[-300:]
    return f"{how_it_ended(execution) or 'exit code 0'}{': ' if said else ''}{said}"


def _with_testlib(checker: Checker) -> tuple[Path, ...]:
    """The checker's files, with the user's testlib.h where the checker includes it."""
    if any(path.name == "testlib.h" for path in checker.files):
        return checker.files
    if not any(b"testlib.h" in path.read_bytes() for path in checker.files):
        return checker.files
    named = os.environ.get(TESTLIB, "")
    path = Path(named)
    header = path / "testlib.h" if path.is_dir() else path
    if not named or not header.is_file():
        raise UsageError(
            f"{checker.files[0]} includes testlib.h, which does not ship with this package:"
            f" set {TESTLIB} to the file"
        )
    return (*checker.files, header)
