"""Shows how a run goes: a live line on a terminal, plain lines when piped."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from collections.abc import AsyncIterator, Callable

from agent.run.driver import Counters

LIVE_S = 0.25  # a display must never be what slows the event loop
PLAIN_S = 10.0


def line(counters: Counters, elapsed_s: float, tokens_before: int, done_before: int) -> str:
    """One line: done/planned, solved, rate, ETA, what is going on."""
    c = counters
    done_now = c.done - done_before
    rate = done_now / elapsed_s if elapsed_s > 0 else 0.0
    owed = c.planned - c.done
    parts = [
        f"{c.done}/{c.planned} done, {owed} owed",
        f"{c.solved} solved",
        f"{(c.completion_tokens - tokens_before) / max(elapsed_s, 1e-9):.0f} tokens/s",
        f"{c.generating} generating, {c.judging} judging",
    ]
    if c.errors:
        parts.append(f"{c.errors} infrastructure errors")
    if rate > 0 and owed:
        parts.append(f"ETA {duration(owed / rate)}")
    return f"{c.stage}: " * bool(c.stage) + " · ".join(parts)


def duration(seconds: float) -> str:
    """`1h02m`, `3m05s` or `12s`."""
    whole = round(seconds)
    if whole >= 3600:
        return f"{whole // 3600}h{whole % 3600 // 60:02d}m"
    return f"{whole // 60}m{whole % 60:02d}s" if whole >= 60 else f"{whole}s"


@contextlib.asynccontextmanager
async def shown(counters: Counters) -> AsyncIterator[None]:
    """Shows the counters on stderr while the block runs."""
    start, tokens, done = time.monotonic(), counters.completion_tokens, counters.done

    def text() -> str:
        return line(counters, time.monotonic() - start, tokens, done)

    task = asyncio.create_task(_live(text) if sys.stderr.isatty() else _plain(text))
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        print(text(), file=sys.stderr)


async def _plain(text: Callable[[], str]) -> None:
    while True:
        await asyncio.sleep(PLAIN_S)
        print(text(), file=sys.stderr, flush=True)


async def _live(text: Callable[[], str]) -> None:
    from rich.console import Console

    with Console(stderr=True).status("") as status:
        while True:
            status.update(text())
            await asyncio.sleep(LIVE_S)
