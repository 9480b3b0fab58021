"""Runs side by side, or one alone: what is near the limit is measured with nothing beside it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator


class Room:
    """A lock with many sharers or one alone. Who wants it alone goes before new sharers."""

    def __init__(self) -> None:
        self._inside = 0
        self._waiting_alone = 0
        self._alone = False
        self._changed = asyncio.Condition()

    @contextlib.asynccontextmanager
    async def shared(self) -> AsyncIterator[None]:
        async with self._changed:
            await self._changed.wait_for(lambda: not self._alone and not self._waiting_alone)
            self._inside += 1
        try:
            yield
        finally:
            self._inside -= 1
            await self._tell()

    @contextlib.asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        self._waiting_alone += 1
        try:
            async with self._changed:
                await self._changed.wait_for(lambda: not self._alone and not self._inside)
                self._alone = True
        finally:
            self._waiting_alone -= 1
            if not self._alone:
                await self._tell()
        try:
            yield
        finally:
            self._alone = False
            await self._tell()

    async def _tell(self) -> None:
        async def tell() -> None:
            async with self._changed:
                self._changed.notify_all()

        await asyncio.shield(asyncio.ensure_future(tell()))
