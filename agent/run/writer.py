"""One thread that writes: group commit over SQLite."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from agent.errors import AgentError

T = TypeVar("T")
Write = Callable[[sqlite3.Connection], T]
_Queued = tuple[Write[Any], "asyncio.Future[Any]"]


class StoreError(AgentError):
    """The run's file cannot be written or read."""


class Writer:
    """Appends from an event loop to a database that only this thread writes meanwhile.

    Whatever waits is committed at once, so a thousand attempts that end together cost one fsync.
    """

    def __init__(self, db: sqlite3.Connection, path: Path) -> None:
        self._db = db
        self.path = path
        self._queue: queue.SimpleQueue[_Queued | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write_loop, name="run-writer", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Writes what is queued, then ends the thread."""
        self._queue.put(None)
        self._thread.join()

    async def append(self, write: Write[T]) -> T:
        """Runs `write` in a transaction; returns its result when that is on disk."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._queue.put((write, future))
        return await asyncio.shield(future)

    def _write_loop(self) -> None:
        item = self._queue.get()
        while item is not None:
            batch = [item]
            while len(batch) < 1000:
                try:
                    following = self._queue.get_nowait()
                except queue.Empty:
                    break
                if following is None:
                    self._commit(batch)
                    return
                batch.append(following)
            self._commit(batch)
            item = self._queue.get()

    def _commit(self, batch: list[_Queued]) -> None:
        """One transaction for the whole batch: all of it becomes durable, or none of it."""
        try:
            self._db.execute("BEGIN IMMEDIATE")
            results = [write(self._db) for write, _ in batch]
            self._db.execute("COMMIT")
        except Exception as error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            if len(batch) > 1 and not isinstance(error, sqlite3.OperationalError):
                for item in batch:  # one piece is wrong: the others must not suffer
                    self._commit([item])
                return
            problem = StoreError(
                f"{self.path}: cannot be written ({error}); nothing stored so far is lost:"
                " remove the cause and re-issue the same command"
            )
            problem.__cause__ = error
            for _, future in batch:
                _settle(future, None, problem)
            return
        for (_, future), result in zip(batch, results, strict=True):
            _settle(future, result, None)


def _settle(future: asyncio.Future[Any], result: Any, error: Exception | None) -> None:
    """Hands the outcome to the event loop that waits for it, if it still does."""

    def settle() -> None:
        if future.done():
            return
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)

    with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
        future.get_loop().call_soon_threadsafe(settle)
