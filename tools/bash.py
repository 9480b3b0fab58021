"""One shell that lasts: working folder, variables and background jobs survive from call to call."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from tools import Workspace
from tools.arguments import Arguments, parse, schema_of
from tools.interpreter import Interpreter, Reply

# What a bash without a terminal says when a program was killed; it tells a model nothing.
_TERMINAL = re.compile(r"^bash: \[[^\n]*\] tcsetattr: [^\n]*\n?", re.MULTILINE)


class Command(Arguments):
    command: str = Field(description="The command line, or several lines.")
    timeout: float | None = Field(
        default=None, gt=0, description="Seconds after which it is killed."
    )


class Bash:
    """`bash(command, timeout)`."""

    name = "bash"

    schema = schema_of(Command)

    def __init__(
        self, workspace: Workspace, *, timeout_s: float, memory_bytes: int, output_chars: int
    ) -> None:
        self._timeout_s, self._memory_bytes = timeout_s, memory_bytes
        self._output_chars = output_chars
        self._shell = Interpreter(workspace, "bash", memory_bytes)

    @property
    def description(self) -> str:
        return (
            "Runs a command in a bash shell that stays: working folder, variables and background"
            " jobs survive. Returns what it prints (stdout and stderr) and its exit code. Standard"
            " input is empty, so interactive programs end at once. A command that runs longer than"
            f" its timeout (at most {self._timeout_s:g} s) is killed with everything it started."
        )

    async def call(self, arguments: Mapping[str, Any]) -> str:
        """Runs one command."""
        given = parse(Command, arguments)
        timeout_s = min(given.timeout or self._timeout_s, self._timeout_s)
        reply = await self._shell.run(given.command, timeout_s=timeout_s, limit=self._output_chars)
        output = _TERMINAL.sub("", reply.output).rstrip("\n")
        end = _end(reply, timeout_s, self._memory_bytes)
        return "\n".join(part for part in (output, end) if part)


def _end(reply: Reply, timeout_s: float, memory_bytes: int) -> str:
    limit = f"[stopped: still running after {timeout_s:g} s; killed with everything it started"
    match reply.ended:
        case "done" if reply.status == 0:
            return "" if reply.output.strip() else "[no output]"
        case "done" if reply.status == 137:
            memory = f"{memory_bytes >> 20} MiB"
            return f"[exit code 137: killed, perhaps for using more memory than {memory}]"
        case "done":
            return f"[exit code {reply.status}]"
        case "interrupted":
            return f"{limit}]"
        case "killed":
            return f"{limit}; the shell too: a new one is in {reply.cwd}, without old variables]"
        case "exited":
            return (
                f"[the shell ended (status {reply.status}); a new one is in {reply.cwd},"
                " without old variables]"
            )
    return (
        "[the shell and every program were killed (by the command, or for want of memory or time);"
        " files are kept; a new shell starts with the next command]"
    )
