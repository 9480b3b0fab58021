"""Warm sandboxes for many callers: lent, emptied between loans, replaced when broken."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from agent.sandbox import Backend, Sandbox, SandboxError, SandboxSpec


class SandboxPool:
    """At most `size` sandboxes of one kind, started when first needed.

    pin: sandbox i is tied to the i-th core that this process may use (modulo their number).
    """

    def __init__(
        self, backend: Backend, spec: SandboxSpec, size: int, *, pin: bool = False
    ) -> None:
        if size < 1:
            raise ValueError("a pool needs at least one sandbox")
        self._backend = backend
        self._spec = spec
        self._cores = sorted(os.sched_getaffinity(0)) if pin else []
        self._size = size
        self._free: asyncio.LifoQueue[tuple[int, Sandbox | None]] = asyncio.LifoQueue()
        for slot in reversed(range(size)):
            self._free.put_nowait((slot, None))
        self._all: dict[int, Sandbox] = {}
        self._returning: set[asyncio.Task[None]] = set()
        self._closed = False

    @property
    def size(self) -> int:
        return self._size

    @asynccontextmanager
    async def lease(self) -> AsyncIterator[Sandbox]:
        """Lends an empty sandbox. Raises SandboxError when none can be started."""
        if self._closed:
            raise SandboxError("the pool is closed")
        slot, sandbox = await self._free.get()
        try:
            if sandbox is None or sandbox.broken:
                sandbox = await self._start(slot, sandbox)
            yield sandbox
        finally:
            # Emptied in the background: the caller has its results and need not wait.
            task = asyncio.get_running_loop().create_task(self._give_back(slot, sandbox))
            self._returning.add(task)
            task.add_done_callback(self._returning.discard)

    async def close(self) -> None:
        """Removes every sandbox, lent ones included. Safe to call twice."""
        self._closed = True
        await asyncio.gather(*self._returning, return_exceptions=True)
        sandboxes = list(self._all.values())
        self._all.clear()
        await asyncio.gather(*(one.close() for one in sandboxes))

    async def __aenter__(self) -> SandboxPool:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _give_back(self, slot: int, sandbox: Sandbox | None) -> None:
        try:
            if sandbox is not None and not sandbox.broken and not self._closed:
                await sandbox.reset()
        except SandboxError:
            pass  # it is broken now; the next lease replaces it
        finally:
            self._free.put_nowait((slot, sandbox))

    async def _start(self, slot: int, broken: Sandbox | None) -> Sandbox:
        if broken is not None:
            self._all.pop(slot, None)
            await broken.close()
        spec = self._spec
        if self._cores:
            spec = replace(spec, cpu=self._cores[slot % len(self._cores)])
        try:
            sandbox = await self._backend.start(spec)
        except SandboxError:  # the machine may have been full for a moment
            await asyncio.sleep(0.5)
            sandbox = await self._backend.start(spec)
        self._all[slot] = sandbox
        if self._closed:
            await sandbox.close()
            raise SandboxError("the pool is closed")
        return sandbox
