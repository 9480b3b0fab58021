"""A client of a scripted server, and the real thing: SmolLM2 behind vLLM on this machine."""

from __future__ import annotations

import os
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from agent.errors import UsageError
from agent.models.client import OpenAIChat
from agent.models.retry import Patience
from agent.models.script import Script
from agent.models.scripted import ScriptedServer
from agent.models.serve import find_vllm

ROOT = Path(__file__).resolve().parents[2]
QUICK = Patience(tries=4, first_s=0.01, longest_s=0.05, dead_s=5.0)


@asynccontextmanager
async def talking(
    script: Script, **options: Any
) -> AsyncIterator[tuple[ScriptedServer, OpenAIChat]]:
    """A scripted server and a client of it that loses patience quickly."""
    options = {"patience": QUICK, "context_tokens": script.max_model_len, **options}
    async with ScriptedServer(script) as server:
        chat = OpenAIChat(script.model, [server.base_url], **options)
        try:
            yield server, chat
        finally:
            await chat.close()


@pytest.fixture(scope="session")
def family() -> Path:
    """models.yaml of the demo's family; made once, which takes half a minute. Needs vLLM."""
    try:
        command = find_vllm()
    except UsageError as error:
        pytest.skip(str(error))
    python = Path(command[0]).parent / "python"
    made = os.environ.get("FRONTIER_AGENT_DEMO_FAMILY", str(ROOT / "demo"))
    subprocess.run([python, ROOT / "scripts" / "make-demo-family.py", made], check=True)
    return Path(made) / "models.yaml"


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def say(said: list[str]) -> Callable[[str], None]:
    return said.append
