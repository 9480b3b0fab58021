"""Equal work under way at the same time is done once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Once(Generic[T]):
    """Shares running work between callers; when the last of them is cancelled, so is the work."""

    def __init__(self) -> None:
        self._running: dict[Hashable, tuple[asyncio.Task[T], list[object]]] = {}

    async def do(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The result of `work()`, or of equal work (same key) that is under way already."""
        if key not in self._running:
            self._running[key] = (asyncio.ensure_future(work()), [])
        task, callers = self._running[key]
        me = object()
        callers.append(me)
        try:
            return await asyncio.shield(task)
        finally:
            callers.remove(me)
            if not callers:
                if self._running.get(key, (None,))[0] is task:
                    del self._running[key]
                if not task.done():
                    task.cancel()
                    await asyncio.wait([task])
