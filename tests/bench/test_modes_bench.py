"""What the harness adds to a model's own time. Figures are printed as ratios, never asserted."""

from __future__ import annotations

import asyncio
import resource
import statistics
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent.models import Sampling
from agent.models.script import Reply, Rule, Script
from agent.modes.attempt import attempt
from agent.modes.registry import load_mode
from agent.modes.workspace import AttemptWorkspace
from agent.sandbox import SandboxSpec
from agent.sandbox.backends import open_backend
from agent.sandbox.pool import SandboxPool
from agent.suite.problem import Problem
from tests.modes.conftest import GOOD, answer_of, call, calls, problem, talking
from tools.bash import Bash

__all__ = ["problem"]  # a fixture

pytestmark = pytest.mark.bench

ATTEMPTS = 2000
ANSWER_S = 1.0


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


async def lag(samples: list[float]) -> None:
    """How late the event loop wakes us, every 5 ms."""
    while True:
        began = time.perf_counter()
        await asyncio.sleep(0.005)
        samples.append(time.perf_counter() - began - 0.005)


async def test_many_attempts_at_once(problem: Problem) -> None:
    """The server runs in this process too: its CPU is in the figures, which errs against us."""
    script = Script(rules=[Rule([Reply(answer_of(GOOD), latency_s=ANSWER_S)])])
    mode = load_mode("reasoning")
    async with talking(script, concurrency=ATTEMPTS) as (_, model):

        async def one(seed: int) -> None:
            await attempt(
                problem, mode, model, seed=seed, languages=("python",), sampling=Sampling()
            )

        await one(0)  # imports, templates, languages
        samples: list[float] = []
        watch = asyncio.create_task(lag(samples))
        memory, cpu, began = resident_bytes(), time.process_time(), time.perf_counter()
        tasks = [asyncio.create_task(one(seed)) for seed in range(ATTEMPTS)]
        await asyncio.sleep(ANSWER_S * 0.9)
        waiting = resident_bytes() - memory
        await asyncio.gather(*tasks)
        wall, spent = time.perf_counter() - began, time.process_time() - cpu
        watch.cancel()
    samples.sort()
    print(
        f"\n{ATTEMPTS} attempts, answers after {ANSWER_S:g} s: wall {wall / ANSWER_S:.2f} x ideal,"
        f" CPU per call {1000 * spent / ATTEMPTS:.2f} ms (server included),"
        f" loop lag p99 {1000 * samples[int(0.99 * len(samples))]:.1f} ms,"
        f" memory per waiting attempt {waiting / ATTEMPTS / 1024:.0f} KiB (server included)"
    )


@pytest.fixture
async def pool() -> AsyncIterator[SandboxPool]:
    backend = await open_backend("bubblewrap")
    async with SandboxPool(backend, SandboxSpec(image="workspace", owner="bench"), 1) as pool:
        yield pool
    await backend.close()


async def test_turns_with_tools(problem: Problem, pool: SandboxPool) -> None:
    async with pool.lease():
        pass  # warm
    began = time.perf_counter()
    workspace = AttemptWorkspace(pool)
    await workspace.write("a", b"")
    ready = time.perf_counter() - began
    bash = Bash(workspace, timeout_s=5, memory_bytes=256 << 20, output_chars=1000)
    await bash.call({"command": "true"})
    echoes = []
    for _ in range(200):
        began = time.perf_counter()
        await bash.call({"command": "echo hi"})
        echoes.append(time.perf_counter() - began)
    await workspace.close()

    turns = 50
    replies = [calls(call("python", code="1")) for _ in range(turns)] + [Reply(answer_of(GOOD))]
    mode = load_mode("tool_use", {"variant": "session", "turns": turns + 1, "tokens": 1 << 20})
    async with talking(Script(rules=[Rule(replies)], max_model_len=1 << 20)) as (_, model):
        done = await attempt(
            problem,
            mode,
            model,
            seed=1,
            languages=("python",),
            sampling=Sampling(),
            workspaces=pool,
        )
    answers = [e for e in done.transcript if e["type"] == "answer"]
    tools = [e["calls"][0]["wall_s"] for e in done.transcript if e["type"] == "results"]
    gaps = [
        two["at_s"] - one["at_s"] - two["latency_s"] - tool
        for one, two, tool in zip(answers, answers[1:], tools, strict=False)
    ]
    print(
        f"\nworkspace ready after {ready:.3f} s from a warm pool;"
        f" bash echo median {1000 * statistics.median(echoes):.1f} ms;"
        f" a turn beyond model and tool: median {1000 * statistics.median(gaps):.1f} ms"
    )
