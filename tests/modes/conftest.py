"""Real parts for whole attempts: a scripted server over HTTP, a real sandbox, the real judge."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from agent.judge.judge import Judge, open_judge
from agent.models import ChatStyle, Sampling
from agent.models.client import OpenAIChat
from agent.models.retry import Patience
from agent.models.script import Answer, Reply, Rule, Script
from agent.models.scripted import ScriptedServer
from agent.modes import Generation
from agent.modes.attempt import attempt
from agent.modes.registry import load_mode
from agent.sandbox import Backend, SandboxSpec
from agent.sandbox.backends import open_backend
from agent.sandbox.pool import SandboxPool
from agent.suite.data import Bytes
from agent.suite.problem import Problem, ProblemLimits, Test

SECRET = b"7316254 hidden answer 9981"
GOOD = "a, b = map(int, input().split())\nprint(a + b)\n"
BAD = "print(input())\n"
QUICK = Patience(tries=3, first_s=0.01, longest_s=0.05, dead_s=2.0)


def answer_of(code: str) -> str:
    return f"Done.\n```python\n{code}```\n"


def call(name: str, **arguments: Any) -> tuple[str, str]:
    return name, json.dumps(arguments)


def calls(*made: tuple[str, str], **values: Any) -> Reply:
    return Reply(tool_calls=made, **values)


@pytest.fixture
def problem() -> Problem:
    return Problem(
        id="sum",
        title="Sum of two",
        statement="Read a and b.\tPrint  a + b.\n\n{{ not a template }} <b>&amp;</b> \u00e9\n",
        limits=ProblemLimits(time_s=1.0, memory_bytes=256 << 20),
        tests=(
            Test("sample", Bytes(b"1 2\n"), Bytes(b"3\n"), sample=True),
            Test("hidden", Bytes(b"20 31337\n"), Bytes(SECRET)),
        ),
        digest="d",
    )


@asynccontextmanager
async def talking(
    script: Script, **options: Any
) -> AsyncIterator[tuple[ScriptedServer, OpenAIChat]]:
    async with ScriptedServer(script) as server:
        settings = {
            "context_tokens": script.max_model_len,
            "native_tools": script.tool_parser,
            "patience": QUICK,
            **options,
        }
        chat = OpenAIChat(script.model, [server.base_url], **settings)
        try:
            yield server, chat
        finally:
            await chat.close()


class Room:
    """Makes attempts; `requests` are the bodies that the server got in the last one."""

    def __init__(self, problem: Problem, pool: SandboxPool | None, judge: Judge | None) -> None:
        self.problem, self.pool, self.judge = problem, pool, judge
        self.requests: list[dict[str, Any]] = []

    async def attempt(
        self,
        mode: str,
        replies: Sequence[Answer],
        *,
        languages: Sequence[str] = ("python",),
        sampling: Sampling | None = None,
        style: ChatStyle | None = None,
        script: dict[str, Any] | None = None,
        **settings: Any,
    ) -> Generation:
        written = Script(rules=[Rule(list(replies))], **(script or {}))
        async with talking(written, style=style) as (server, model):
            try:
                return await attempt(
                    self.problem,
                    load_mode(mode, settings),
                    model,
                    seed=7,
                    languages=languages,
                    sampling=sampling or Sampling(max_tokens=2000),
                    workspaces=self.pool,
                    judge=self.judge,
                )
            finally:
                self.requests = server.requests


@pytest.fixture
def plain(problem: Problem) -> Room:
    """Attempts of modes that need no sandbox."""
    return Room(problem, None, None)


@pytest.fixture(params=[pytest.param("docker", marks=pytest.mark.docker), "bubblewrap"])
async def backend(request: pytest.FixtureRequest) -> AsyncIterator[Backend]:
    from agent.sandbox import SandboxError

    try:
        opened = await open_backend(request.param)
    except SandboxError as error:
        pytest.skip(f"{request.param}: {error}")
    yield opened
    await opened.close()


@pytest.fixture
async def room(problem: Problem, backend: Backend) -> AsyncIterator[Room]:
    """Attempts with workspaces and a judge."""
    judge = await open_judge(backend, workers=1)
    spec = SandboxSpec(image="workspace", owner="test-modes")
    async with SandboxPool(backend, spec, 2) as pool:
        yield Room(problem, pool, judge)
    await judge.close()


def results(generation: Generation) -> list[str]:
    """Every tool result as the model read it, without the budget line."""
    return [
        made["result"]
        for entry in generation.transcript
        if entry["type"] == "results"
        for made in entry["calls"]
    ]
