"""An attempt's own workspace: a sandbox that is leased when a tool first needs it."""

from __future__ import annotations

import contextlib
import posixpath
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack

from agent.sandbox import Command, Ended, Limits, Sandbox, SandboxError
from agent.sandbox.pool import SandboxPool
from tools import Output, Process

_HOUR = 3600.0
_OUTPUT_BYTES = 1 << 20
_PIDS = 200

_ENDED = {
    Ended.EXITED: "exited",
    Ended.SIGNALED: "signaled",
    Ended.KILLED: "signaled",
    Ended.CPU_LIMIT: "timeout",
    Ended.WALL_LIMIT: "timeout",
    Ended.IDLE_LIMIT: "idle",
    Ended.MEMORY_LIMIT: "memory",
    Ended.OUTPUT_LIMIT: "output",
}


class WorkspaceLost(Exception):
    """The model destroyed its sandbox: it is gone though other sandboxes work."""


class AttemptWorkspace:
    """`tools.Workspace` on a leased sandbox.

    files: put below /work when the sandbox is leased. `waited_s` counts the wait for a free one.
    A sandbox that is lost while a tool works is told apart by trying another one: when that works
    too little, the infrastructure is at fault (SandboxError), else the model is (WorkspaceLost).
    """

    def __init__(
        self, pool: SandboxPool | None = None, files: Mapping[str, bytes] | None = None
    ) -> None:
        self._pool, self._files = pool, dict(files or {})
        self._sandbox: Sandbox | None = None
        self._stack = AsyncExitStack()
        self.waited_s = 0.0

    async def run(
        self,
        argv: tuple[str, ...],
        *,
        stdin: bytes = b"",
        timeout_s: float = 10.0,
        memory_bytes: int = 512 << 20,
        cwd: str = "/work",
        env: Mapping[str, str] | None = None,
    ) -> Output:
        """One program to its end. What earlier programs left running goes on."""
        limits = _limits(timeout_s, memory_bytes)
        command = Command(argv, limits, stdin=stdin, cwd=cwd, env=dict(env or {}), fresh=False)
        sandbox = await self._leased()
        async with self._watched():
            result = await sandbox.run(command)
        return Output(
            stdout=result.stdout.decode("utf-8", "replace"),
            stderr=result.stderr.decode("utf-8", "replace"),
            exit_code=result.exit_code,
            ended=_ENDED[result.ended],
            wall_s=result.wall_s,
            stdout_bytes=result.stdout_bytes,
            stderr_bytes=result.stderr_bytes,
        )

    async def start(self, argv: tuple[str, ...], *, memory_bytes: int = 512 << 20) -> Process:
        """A program that stays."""
        command = Command(argv, _limits(24 * _HOUR, memory_bytes), fresh=False)
        sandbox = await self._leased()
        async with self._watched():
            return await sandbox.start(command)

    async def read(self, path: str, *, max_bytes: int = 1 << 20) -> bytes:
        """One file below /work."""
        sandbox = await self._leased()
        async with self._watched():
            return await sandbox.get(_below_work(path), max_bytes=max_bytes)

    async def write(self, path: str, content: bytes) -> None:
        """One file below /work."""
        relative = _below_work(path)
        sandbox = await self._leased()
        async with self._watched():
            await sandbox.put({relative: content})

    async def restart(self) -> None:
        """Kills every program; files stay."""
        if self._sandbox is None:
            return
        async with self._watched():
            # A command with fresh=True kills what is left before it starts.
            await self._sandbox.run(Command(("true",), _limits(10.0, 64 << 20), fresh=True))

    async def close(self) -> None:
        """Gives the sandbox back. Safe to call twice."""
        self._sandbox = None
        await self._stack.aclose()

    async def _leased(self) -> Sandbox:
        if self._sandbox is not None:
            return self._sandbox
        if self._pool is None:
            raise SandboxError("this mode's tools need a sandbox, and none was given")
        began = time.monotonic()
        try:
            sandbox: Sandbox = await self._stack.enter_async_context(self._pool.lease())
        finally:
            self.waited_s += time.monotonic() - began
        if self._files:
            await sandbox.put(self._files)
        self._sandbox = sandbox
        return sandbox

    @contextlib.asynccontextmanager
    async def _watched(self) -> AsyncIterator[None]:
        try:
            yield
        except SandboxError as error:
            assert self._pool is not None
            await self.close()  # first, or with every sandbox lent the next line would wait for us
            async with self._pool.lease() as other:  # raises SandboxError when we are at fault
                await other.run(Command(("true",), _limits(10.0, 64 << 20)))
            raise WorkspaceLost(str(error)) from error


def _limits(timeout_s: float, memory_bytes: int) -> Limits:
    """A tool's program is stopped by the clock; it may use more than one core meanwhile."""
    return Limits(
        cpu_s=timeout_s * 8,
        idle_s=timeout_s,
        memory_bytes=memory_bytes,
        wall_s=timeout_s,
        pids=_PIDS,
        stdout_bytes=_OUTPUT_BYTES,
        stderr_bytes=_OUTPUT_BYTES,
        kill_on_stdout_limit=False,
    )


def _below_work(path: str) -> str:
    """A path relative to /work. Raises ValueError for one that leads elsewhere."""
    if "\0" in path:
        raise ValueError("a path cannot hold a NUL character")
    full = posixpath.normpath(posixpath.join("/work", path))
    if not full.startswith("/work/"):
        raise ValueError(f"{path} is not below /work")
    return full.removeprefix("/work/")
