"""The real thing: a merged member of the demo's family behind `agent serve` on this machine."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from agent.errors import UsageError
from agent.models import ChatModel, ContextOverflow, Sampling
from agent.models.open import open_model
from agent.models.prefix import first_difference
from agent.models.registry import load_registry
from agent.models.serve import find_vllm
from agent.weights.identity import checkpoint_identity

pytestmark = [pytest.mark.vllm, pytest.mark.slow, pytest.mark.timeout(600)]

NAME = "ckpt_alpha1.5"
TOOL = {
    "type": "function",
    "function": {
        "name": "python",
        "description": "Runs Python.",
        "parameters": {"type": "object", "properties": {"code": {"type": "string"}}},
    },
}


@pytest.fixture(scope="module")
def served(family: Path) -> Iterator[str]:
    """The base URL of `agent serve`, which merges the member first; gone afterwards."""
    command = [sys.executable, "-m", "agent.cli.main", "serve", NAME, "--port", "0"]
    process = subprocess.Popen(
        [*command, "--models", str(family)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "FRONTIER_AGENT_VLLM": find_vllm()[0]},
    )
    said: list[str] = []
    assert process.stderr is not None
    assert process.stdout is not None
    reader = threading.Thread(target=lambda: said.extend(process.stderr or ()), daemon=True)
    reader.start()
    line = process.stdout.readline()
    match = re.search(r"http://\S+/v1", line)
    assert match is not None, "".join(said)
    yield match[0]
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0
    port = re.search(r":(\d+)/", match[0])
    assert port is not None
    found = subprocess.run(["pgrep", "-f", f"--port {port[1]}"], capture_output=True, check=False)
    assert not found.stdout.split()


@asynccontextmanager
async def model(family: Path, url: str, *, tokens: bool = False) -> AsyncIterator[ChatModel]:
    text = family.read_text()
    if tokens:
        text = text.replace("    serve:", "    record_tokens: true\n    serve:", 1)
    registry = load_registry(family)
    if tokens:
        file = family.with_name("models-with-tokens.yaml")
        file.write_text(text)
        registry = load_registry(file)
    async with open_model(NAME, registry=registry, base_url=url) as opened:
        yield opened


async def ask(chat: ChatModel, text: str, seed: int = 1, **sampling: Any) -> Any:
    messages = [{"role": "user", "content": text}]
    return await chat.complete(messages, sampling=Sampling(**sampling), seed=seed)


async def test_what_is_served_is_what_was_merged(family: Path, served: str) -> None:
    async with model(family, served) as chat:
        assert chat.context_tokens == 4096
        assert chat.native_tools
        merged = checkpoint_identity(family.parent / "merged" / NAME)
        assert chat.identity["weights"] == merged["weights"]
        answer = await ask(chat, "What is the capital of France?", temperature=0.0, max_tokens=30)
    assert answer.content.strip()
    assert answer.usage.prompt_tokens > 5
    with pytest.raises(UsageError, match=rf"serves {NAME}"):
        async with open_model("base", registry=load_registry(family), base_url=served):
            pass


async def test_a_seed_repeats_and_seeds_differ(family: Path, served: str) -> None:
    async with model(family, served) as chat:
        seeds = [7, 7, 8, 9, 10]
        answers = await asyncio.gather(
            *(ask(chat, "Tell a story.", s, max_tokens=24) for s in seeds)
        )
    texts = [a.content for a in answers]
    assert texts[0] == texts[1]
    assert len(set(texts)) == 4
    assert {a.finish_reason for a in answers} == {"length"}


async def test_long_seeded_prompts_at_once_do_not_kill_the_server(
    family: Path, served: str
) -> None:
    async with model(family, served) as chat:
        text = "one two three four five " * 240
        answers = await asyncio.gather(*(ask(chat, text, s, max_tokens=4) for s in range(6)))
    assert all(a.usage.prompt_tokens > 1000 for a in answers)
    assert all(a.retries == 0 for a in answers)


async def test_context_limits(family: Path, served: str) -> None:
    async with model(family, served) as chat:
        with pytest.raises(ContextOverflow):
            await ask(chat, "word " * 5000)
        question = "What is the capital of France?"
        answer = await ask(chat, question, temperature=0.0, max_tokens=100_000)
    assert answer.finish_reason == "stop"


async def test_tools_reach_the_model_and_turns_only_grow(family: Path, served: str) -> None:
    async with model(family, served, tokens=True) as chat:
        messages: list[dict[str, Any]] = [{"role": "user", "content": "Add 1 and 2."}]
        sampling = Sampling(temperature=0.0, max_tokens=30)
        first = await chat.complete(messages, sampling=sampling, seed=1, tools=[TOOL])
        bare = await chat.complete(messages, sampling=sampling, seed=1)
        messages.append({"role": "assistant", "content": first.content})
        messages.append({"role": "user", "content": "And 3?"})
        second = await chat.complete(messages, sampling=sampling, seed=1, tools=[TOOL])
    assert first.usage.prompt_tokens > bare.usage.prompt_tokens + 50
    if first.finish_reason == "stop":
        assert first_difference(first, second) is None
    assert first_difference(bare, second) is not None
    assert first.raw["logprobs"]
