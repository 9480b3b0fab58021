"""Where a request goes: replicas of one model, which of them live, and how many they take.

An attempt (recognised by its seed) sticks to one replica, whose prefix cache knows its prompt; a
new one goes where the fewest requests are outstanding. A replica that refuses connections is down:
its calls wait, or go to another one, until a probe finds it back. How many requests a replica may
have at once follows its own gauges: when requests wait there, the surplus waits here instead, where
it is counted as waiting and not as work.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from agent.models import ServerError

PROBE_S = 1.0
GAUGE_S = 1.0
_STICKY = 1 << 16  # attempts remembered
_FIRST = 32  # requests that a server with gauges gets at once, before they are read
_SLACK = 2  # requests that may wait at the server, so that it never idles

Probe = Callable[["Replica"], Awaitable[bool]]
Gauges = Callable[["Replica"], Awaitable[tuple[int, int] | None]]


class Gate:
    """A semaphore, first come first served, whose size can change while it is in use."""

    def __init__(self, limit: int) -> None:
        self.limit, self.used = limit, 0
        self._queue: deque[asyncio.Future[None]] = deque()

    @property
    def waiting(self) -> int:
        return len(self._queue)

    async def acquire(self) -> None:
        if self.used < self.limit and not self._queue:
            self.used += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.release()  # the turn came just before the cancellation
            else:
                with contextlib.suppress(ValueError):
                    self._queue.remove(turn)
            raise

    def release(self) -> None:
        self.used -= 1
        self._admit()

    def resize(self, limit: int) -> None:
        self.limit = limit
        self._admit()

    def _admit(self) -> None:
        while self._queue and self.used < self.limit:
            turn = self._queue.popleft()
            if not turn.done():
                self.used += 1
                turn.set_result(None)


class Replica:
    """One base URL. `outstanding`: requests sent or waiting to be sent to it."""

    def __init__(self, base_url: str, concurrency: int) -> None:
        self.base_url = base_url.rstrip("/")
        self.gate = Gate(concurrency)
        self.outstanding = 0
        self.not_before = 0.0  # monotonic: the server asked for a pause until then
        self.up = asyncio.Event()
        self.up.set()

    @property
    def root(self) -> str:
        """The server without the API's prefix, where /metrics and /health are."""
        return self.base_url.removesuffix("/v1")


class Replicas:
    """All replicas of one model."""

    def __init__(
        self,
        base_urls: Sequence[str],
        *,
        concurrency: int,
        probe: Probe,
        gauges: Gauges | None = None,
        patience_s: float = 600.0,
    ) -> None:
        self.all = [Replica(url, concurrency) for url in base_urls]
        self._concurrency, self._patience_s = concurrency, patience_s
        self._probe, self.gauges = probe, gauges
        self._sticky: OrderedDict[int, Replica] = OrderedDict()
        self._tasks: dict[Replica, asyncio.Task[None]] = {}
        self._watch: asyncio.Task[None] | None = None

    @contextlib.asynccontextmanager
    async def slot(self, affinity: int) -> AsyncIterator[Replica]:
        """A place at a living replica for one request. Raises ServerError after `patience_s`
        without any."""
        if self.gauges is not None and self._watch is None:
            for replica in self.all:
                replica.gate.resize(min(_FIRST, self._concurrency))
            self._watch = asyncio.get_running_loop().create_task(self._follow_gauges())
        deadline = time.monotonic() + self._patience_s
        while True:
            replica = self._choose(affinity)
            replica.outstanding += 1
            try:
                await self._until_up(replica, deadline)
                await replica.gate.acquire()
                try:
                    if replica.up.is_set():
                        await _until(replica.not_before)
                        yield replica
                        return
                finally:
                    replica.gate.release()
            finally:
                replica.outstanding -= 1

    def _choose(self, affinity: int) -> Replica:
        replica = self._sticky.get(affinity)
        if replica is None or not replica.up.is_set():
            alive = [r for r in self.all if r.up.is_set()] or self.all
            replica = min(alive, key=lambda r: r.outstanding)
            self._sticky[affinity] = replica
            if len(self._sticky) > _STICKY:
                self._sticky.popitem(last=False)
        return replica

    async def _until_up(self, replica: Replica, deadline: float) -> None:
        """Waits for this replica, or returns early when another one lives."""
        while not replica.up.is_set() and not any(r.up.is_set() for r in self.all):
            left = deadline - time.monotonic()
            if left <= 0:
                raise ServerError(
                    f"{replica.base_url} has not answered for {self._patience_s:.0f} s"
                )
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(replica.up.wait(), min(left, PROBE_S))

    def down(self, replica: Replica) -> None:
        """Reports that nobody listens there; a probe watches for its return."""
        if replica.up.is_set():
            replica.up.clear()
            task = asyncio.get_running_loop().create_task(self._revive(replica))
            self._tasks[replica] = task

    async def _revive(self, replica: Replica) -> None:
        while True:
            if await self._probe(replica):
                replica.up.set()
                return
            await asyncio.sleep(PROBE_S)

    async def _follow_gauges(self) -> None:
        assert self.gauges is not None
        silent: set[Replica] = set()
        before: dict[Replica, tuple[int, int]] = {}
        while len(silent) < len(self.all):
            await asyncio.sleep(GAUGE_S)
            for replica in self.all:
                if not replica.up.is_set() or replica in silent:
                    continue
                gauges = await self.gauges(replica)
                if gauges is None:  # a server without such gauges
                    silent.add(replica)
                    replica.gate.resize(self._concurrency)
                    continue
                last = before.get(replica, (0, 0))
                limit = admitted(replica.gate.limit, last, gauges, most=self._concurrency)
                replica.gate.resize(limit)
                before[replica] = gauges

    async def close(self) -> None:
        tasks = [*self._tasks.values(), *([self._watch] if self._watch else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def admitted(limit: int, before: tuple[int, int], now: tuple[int, int], *, most: int) -> int:
    """How many requests to admit next, from two readings of (running, waiting).

    Doubles while nothing waits, up to `most`. Falls to what the server works on, and a few that
    wait there, once requests waited in both readings: one alone may be a burst just arriving.
    """
    if min(before[1], now[1]) > _SLACK:
        return max(1, min(limit, max(before[0], now[0]) + _SLACK, most))
    if now[1] == 0:
        return min(most, 2 * limit)
    return limit


_GAUGE = re.compile(
    r"^vllm:num_requests_(running|waiting)(?:\{[^}]*\})?\s+([0-9.eE+-]+)\s*$", re.MULTILINE
)


def read_gauges(metrics: str) -> tuple[int, int] | None:
    """(running, waiting) of a vLLM server's /metrics; None when it has no such gauges."""
    found = {"running": 0, "waiting": 0}
    seen = False
    for name, value in _GAUGE.findall(metrics):
        found[name] += int(float(value))
        seen = True
    return (found["running"], found["waiting"]) if seen else None


async def _until(moment: float) -> None:
    left = moment - time.monotonic()
    if left > 0:
        await asyncio.sleep(left)
