"""Where untrusted code runs.

A sandbox is one long-lived isolated container with a small supervisor inside, spoken to with
length-prefixed frames. It holds at most one *box* at a time: fresh PID, IPC and mount namespaces,
a cgroup, a writable `/work` and `/tmp`. `run` starts a program in the box; `reset` destroys the box
and everything in it. Nothing here knows what a problem is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from agent.errors import InfrastructureError


class SandboxError(InfrastructureError):
    """The sandbox itself failed (lost container, a limit that cannot be set, a broken frame)."""


class Ended(StrEnum):
    """Why a program stopped, as seen by the supervisor; never derived from what it printed."""

    EXITED = "exited"  # by itself; exit_code is set
    SIGNALED = "signaled"  # by a signal that we did not send; signal is set
    CPU_LIMIT = "cpu_limit"
    IDLE_LIMIT = "idle_limit"  # neither running nor runnable until the wall limit
    WALL_LIMIT = "wall_limit"  # very long in all though it wanted to run: starved, not a verdict
    MEMORY_LIMIT = "memory_limit"  # the cgroup's own OOM counter, or its peak above the limit
    OUTPUT_LIMIT = "output_limit"
    KILLED = "killed"  # we were asked to stop it


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one program and its descendants together."""

    cpu_s: float  # CPU seconds of the whole process tree (hard: killed when exceeded)
    idle_s: float  # wall seconds minus the time it waited for a core
    memory_bytes: int  # of the whole tree, swap off, tmpfs files included
    wall_s: float = 600.0  # absolute backstop
    pids: int = 64
    stdout_bytes: int = 64 << 20
    stderr_bytes: int = 64 << 10  # beyond it stderr is counted and thrown away
    kill_on_stdout_limit: bool = True  # False: stdout too is counted and thrown away


@dataclass(frozen=True, slots=True)
class Command:
    """One program to run in the box."""

    argv: tuple[str, ...]
    limits: Limits
    stdin: bytes = b""
    cwd: str = "/work"
    env: Mapping[str, str] = field(default_factory=dict)  # added to the supervisor's clean one
    fresh: bool = (
        True  # True: kill what the last command left and give it fresh namespaces and /tmp
    )
    readonly_work: bool = False  # True: /work may be read only (tests of a compiled submission)
    result_fd: bool = (
        False  # True: fd 3 is a private pipe; what is written there is `Execution.result`
    )


@dataclass(frozen=True, slots=True)
class Execution:
    """What the supervisor measured of one command."""

    ended: Ended
    exit_code: int | None
    signal: int | None
    cpu_s: float
    wall_s: float
    wait_s: float  # of wall_s: runnable but waiting for a core
    peak_bytes: int
    stdout: bytes
    stderr: bytes
    stdout_bytes: int  # in all, cut part included
    stderr_bytes: int
    result: bytes = b""


@dataclass(frozen=True, slots=True)
class SandboxInfo:
    """What must be recorded of a sandbox because it can change a verdict."""

    backend: str  # "docker" | "bubblewrap"
    accounting: str  # "cgroup" | "polled" (weaker: no cgroup rights)
    supervisor: str  # version or digest of the supervisor
    image: str  # image id, or digest of the host toolchain
    notes: tuple[str, ...] = ()  # guarantees that do not hold here, one sentence each


class Process(Protocol):
    """A command under way, its stdin and stdout in our hands."""

    async def read(self) -> bytes:
        """What it wrote to stdout since the last call: at least one byte, b"" once it has ended."""
        ...

    async def read_stderr(self) -> bytes:
        """The same for stderr."""
        ...

    async def write(self, data: bytes) -> None:
        """Gives `data` to its stdin; returns when all but a window of 256 KiB is taken.

        Raises BrokenPipeError when the program has ended. What a living program that closed its
        stdin does not take is thrown away.
        """
        ...

    async def close_stdin(self) -> None: ...

    async def kill(self) -> None:
        """Ends it and waits until it is gone. Safe to call twice."""
        ...

    async def wait(self) -> Execution:
        """How it ended; stdout and stderr hold what was not read. Cancelling does not kill."""
        ...


class Sandbox(Protocol):
    """One running sandbox. Methods raise `SandboxError` when the sandbox is at fault.

    Several commands with `fresh=False` may be under way at once (at most eight, those that left
    something running included); a fresh one kills all others.
    """

    @property
    def info(self) -> SandboxInfo: ...

    @property
    def broken(self) -> bool:
        """It failed and cannot be used any more; close it."""
        ...

    async def put(self, files: Mapping[str, bytes], *, executable: bool = False) -> None:
        """Writes files below /work of the box (paths relative; parents are made)."""
        ...

    async def run(self, command: Command) -> Execution:
        """Runs one command to its end. Cancelling the task kills the command inside."""
        ...

    async def start(self, command: Command) -> Process:
        """Starts a command; its stdin (after `command.stdin`) and stdout are the caller's."""
        ...

    async def get(self, path: str, *, max_bytes: int = 64 << 20) -> bytes:
        """Reads one regular file below /work. Links are not followed.

        Raises FileNotFoundError, or ValueError when it is too large or not a regular file.
        """
        ...

    async def reset(self) -> None:
        """Kills every program and gives the next command an empty /work."""
        ...

    async def close(self) -> None:
        """Removes the sandbox and everything in it. Safe to call twice."""
        ...


@dataclass(frozen=True, slots=True)
class SandboxSpec:
    """What to start."""

    image: str = "judge"  # a folder of sandbox_images/: "judge" | "workspace"
    owner: str = ""  # run id, for labels and the reaper
    cpu: int | None = None  # pin to this core
    memory_bytes: int = 2 << 30  # that the programs in it can have; no limit may be above it
    disk_bytes: int = 512 << 20  # of /work and of /tmp, each
    pids: int = 256


class Backend(Protocol):
    """A way to start sandboxes: docker or bubblewrap."""

    @property
    def name(self) -> str: ...

    async def start(self, spec: SandboxSpec) -> Sandbox: ...

    async def close(self) -> None: ...
