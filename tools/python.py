"""A Python interpreter, in two variants: a fresh one for every call, or one that remembers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from tools import Workspace
from tools.arguments import Arguments, parse, schema_of
from tools.interpreter import Interpreter, Reply
from tools.text import show_output


class Code(Arguments):
    code: str = Field(description="The Python program to run.")


class StatelessPython:
    """Every call runs as a program of its own; files in /work stay, variables do not."""

    name = "python"
    schema = schema_of(Code)

    def __init__(
        self, workspace: Workspace, *, timeout_s: float, memory_bytes: int, output_chars: int
    ) -> None:
        self._workspace = workspace
        self._timeout_s, self._memory_bytes = timeout_s, memory_bytes
        self._output_chars = output_chars

    @property
    def description(self) -> str:
        return (
            "Runs a Python 3 program and returns what it prints (use print). Every call starts a"
            " fresh interpreter in /work; files stay, variables do not. Standard input is empty."
            f" Limits per call: {self._timeout_s:g} s, {self._memory_bytes >> 20} MiB."
        )

    async def call(self, arguments: Mapping[str, Any]) -> str:
        """Runs the code. What was printed before an exception is kept."""
        code = parse(Code, arguments).code
        await self._workspace.write("call.py", code.encode("utf-8", "replace"))
        output = await self._workspace.run(
            ("python3", "call.py"), timeout_s=self._timeout_s, memory_bytes=self._memory_bytes
        )
        return show_output(
            output,
            timeout_s=self._timeout_s,
            memory_bytes=self._memory_bytes,
            limit=self._output_chars,
        )


class SessionPython:
    """One interpreter for all calls: variables stay, and a last expression is echoed."""

    name = "python"
    schema = schema_of(Code)

    def __init__(
        self, workspace: Workspace, *, timeout_s: float, memory_bytes: int, output_chars: int
    ) -> None:
        self._timeout_s, self._memory_bytes = timeout_s, memory_bytes
        self._output_chars = output_chars
        self._session = Interpreter(workspace, "python", memory_bytes)

    @property
    def description(self) -> str:
        return (
            "Runs Python 3 code in a session that stays: variables and imports survive from call to"
            " call. Returns what it prints, and the value of a last expression. Standard input is"
            f" empty. Limits: {self._timeout_s:g} s per call, {self._memory_bytes >> 20} MiB."
        )

    async def call(self, arguments: Mapping[str, Any]) -> str:
        """Runs the code in the session."""
        code = parse(Code, arguments).code
        reply = await self._session.run(code, timeout_s=self._timeout_s, limit=self._output_chars)
        end = _session_end(reply, self._timeout_s)
        return "\n".join(part for part in (reply.output.rstrip("\n"), end) if part) or "[no output]"


def _session_end(reply: Reply, timeout_s: float) -> str:
    match reply.ended:
        case "done":
            return ""
        case "interrupted":
            return f"[stopped: still running after {timeout_s:g} s; variables are kept]"
        case "killed":
            return (
                f"[stopped: still running after {timeout_s:g} s; the session had to be killed:"
                " a new one was started, variables are lost, files are kept]"
            )
        case "exited":
            return (
                f"[the session ended (status {reply.status}); a new one was started, variables are"
                " lost, files are kept]"
            )
    return (
        "[the session was killed (by the code, or for want of memory or time); a new one starts"
        " with the next call, variables are lost, files are kept]"
    )
