"""What a model may call. A tool gets a workspace handed in and knows nothing of `agent/`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Output:
    """What a program printed in the workspace, and how it ended."""

    stdout: str
    stderr: str
    exit_code: int | None
    ended: str  # "exited" | "signaled" | "timeout" | "idle" | "memory" | "output"
    wall_s: float
    stdout_bytes: int = 0  # in all, cut part included
    stderr_bytes: int = 0


class Process(Protocol):
    """A program that goes on running in the workspace between two calls."""

    async def write(self, data: bytes) -> None:
        """Writes to its stdin. Raises BrokenPipeError when it has ended."""
        ...

    async def read(self) -> bytes:
        """What it has written to stdout since: at least one byte, or b"" once it has ended."""
        ...

    async def kill(self) -> None:
        """Ends it and waits until it is gone. Safe to call twice."""
        ...


class Workspace(Protocol):
    """Where a tool works: files below /work and programs, in a sandbox of the attempt's own."""

    async def run(
        self,
        argv: tuple[str, ...],
        *,
        stdin: bytes = b"",
        timeout_s: float = 10.0,
        memory_bytes: int = 512 << 20,
        cwd: str = "/work",
        env: Mapping[str, str] | None = None,
    ) -> Output: ...

    async def start(self, argv: tuple[str, ...], *, memory_bytes: int = 512 << 20) -> Process:
        """Starts a program that stays, in /work, its stdin and stdout in our hands."""
        ...

    async def read(self, path: str, *, max_bytes: int = 1 << 20) -> bytes:
        """One regular file below /work. Raises FileNotFoundError, or ValueError with the reason."""
        ...

    async def write(self, path: str, content: bytes) -> None:
        """Creates or replaces one file below /work; folders are made. Raises ValueError."""
        ...

    async def restart(self) -> None:
        """Kills every program; files stay."""
        ...


class Submitted(Exception):
    """Raised by a tool that records a submission. `final`: the attempt ends with it."""

    def __init__(self, source: str, language: str, *, final: bool = True) -> None:
        super().__init__("submitted")
        self.source, self.language, self.final = source, language, final


class BadArguments(ValueError):
    """The call's arguments are wrong; the text goes back to the model and names the argument."""


class Tool(Protocol):
    """One tool. `schema`: JSON schema of its arguments; `description`: what the model reads."""

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...

    @property
    def schema(self) -> Mapping[str, Any]: ...

    async def call(self, arguments: Mapping[str, Any]) -> str:
        """The result that the model reads. Raises BadArguments, or Submitted."""
        ...
