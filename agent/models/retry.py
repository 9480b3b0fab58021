"""Trying again: only what may be transient, with growing, jittered and bounded pauses."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    RetryError,
    retry_if_exception_type,
    stop_after_attempt,
    wait_random_exponential,
)

from agent.models import ContextOverflow, ServerError
from agent.models.wire import TooLarge, Transient

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Patience:
    """tries: requests in all. first_s, longest_s: pauses grow from one to the other.

    retry_after_s: the longest pause that a server's Retry-After can ask for. dead_s: how long a
    server that refuses connections may stay away; waiting for it uses up no try.
    """

    tries: int = 8
    first_s: float = 0.5
    longest_s: float = 30.0
    retry_after_s: float = 300.0
    dead_s: float = 600.0


async def persist(request: Callable[[], Awaitable[T]], patience: Patience, where: str) -> T:
    """`request()`, again while it raises Transient. Raises ServerError with the last reason."""
    backoff = wait_random_exponential(multiplier=patience.first_s, max=patience.longest_s)

    def pause(state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome is not None else None
        wanted = error.retry_after_s if isinstance(error, Transient) else None
        if wanted is not None:
            return min(wanted, patience.retry_after_s)
        return backoff(state)

    retrying = AsyncRetrying(
        retry=retry_if_exception_type(Transient),
        wait=pause,
        stop=stop_after_attempt(patience.tries),
        sleep=asyncio.sleep,
    )
    started = time.monotonic()
    try:
        return await retrying(request)
    except RetryError as error:
        last = error.last_attempt.exception()
        seconds = time.monotonic() - started
        raise ServerError(f"{where}: {last} ({patience.tries} tries in {seconds:.0f} s)") from last


async def fitted(
    request: Callable[[], Awaitable[T]], body: dict[str, Any], patience: Patience, where: str
) -> T:
    """`persist`, once more with the max_tokens that fit where the prompt does and the sum does not.

    request: sends `body`. Raises ContextOverflow when that does not fit either.
    """
    try:
        return await persist(request, patience, where)
    except TooLarge as error:
        body["max_tokens"] = error.max_tokens
    try:
        return await persist(request, patience, where)
    except TooLarge as error:
        raise ContextOverflow(str(error)) from error
