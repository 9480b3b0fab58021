"""What a model call costs the harness: 2,000 requests at once against the scripted server."""

from __future__ import annotations

import asyncio
import multiprocessing
import statistics
import time
from collections.abc import Iterator
from multiprocessing.queues import Queue

import pytest

from agent.models import Sampling
from agent.models.client import OpenAIChat
from agent.models.script import Reply, Script
from agent.models.scripted import ScriptedServer

pytestmark = pytest.mark.bench

CALLS = 2000
TURNS = 4
LATENCY_S = 1.0


def _serve(urls: Queue[str]) -> None:
    async def forever() -> None:
        reply = Reply("x" * 400, latency_s=LATENCY_S)
        async with ScriptedServer(Script(otherwise=reply)) as server:
            urls.put(server.base_url)
            await asyncio.Event().wait()

    asyncio.run(forever())


@pytest.fixture
def url() -> Iterator[str]:
    """A scripted server in a process of its own, so that its CPU time is not ours."""
    context = multiprocessing.get_context("spawn")
    urls: Queue[str] = context.Queue()
    process = context.Process(target=_serve, args=(urls,), daemon=True)
    process.start()
    yield urls.get(timeout=30)
    process.kill()
    process.join()


async def test_two_thousand_calls_at_once(url: str) -> None:
    chat = OpenAIChat("scripted", [url], concurrency=CALLS)
    prompt = [{"role": "user", "content": "Solve it. " * 400}]

    async def one(seed: int) -> None:
        await chat.complete(prompt, sampling=Sampling(max_tokens=200), seed=seed)

    lags: list[float] = []

    async def pulse() -> None:
        while True:
            began = time.monotonic()
            await asyncio.sleep(0.005)
            lags.append(time.monotonic() - began - 0.005)

    async def attempt(seed: int) -> None:
        await asyncio.sleep(LATENCY_S * seed / CALLS)  # attempts are not in step
        for _ in range(TURNS):
            await one(seed)

    await asyncio.gather(*(one(seed) for seed in range(CALLS)))  # opens the connections
    heart = asyncio.create_task(pulse())
    began, cpu = time.monotonic(), time.process_time()
    await asyncio.gather(*(attempt(seed) for seed in range(CALLS)))
    wall, spent = time.monotonic() - began, time.process_time() - cpu
    heart.cancel()
    await chat.close()
    lag = statistics.quantiles(lags, n=100)[98] if len(lags) > 1 else max(lags, default=0.0)
    print(
        f"\n{CALLS} attempts at once, {TURNS} answers each after {LATENCY_S:.0f} s:"
        f" wall {wall / (LATENCY_S * (TURNS + 1)):.2f} x ideal,"
        f" CPU {1000 * spent / CALLS / TURNS:.2f} ms a call,"
        f" event-loop lag p99 {1000 * lag:.0f} ms"
    )
