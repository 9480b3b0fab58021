"""The real LiteLLM against the scripted server, and that nothing else is asked."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from agent.models import ContextOverflow, RequestRejected, Sampling, ServerError, ToolCall
from agent.models.client import AnswerTimeout
from agent.models.litellm_chat import LiteLLMChat
from agent.models.registry import Endpoint, ModelSpec
from agent.models.script import Reply, Rule, Script
from agent.models.scripted import ScriptedServer
from tests.models.conftest import QUICK

ASK: list[dict[str, Any]] = [{"role": "user", "content": "Solve it."}]
TOOL = {"type": "function", "function": {"name": "run", "parameters": {"type": "object"}}}
GOOD = Reply("fine")


@asynccontextmanager
async def talking(script: Script) -> AsyncIterator[tuple[ScriptedServer, LiteLLMChat]]:
    async with ScriptedServer(script) as server:
        endpoint = Endpoint(base_url=server.base_url, provider="litellm", model="openai/scripted")
        spec = ModelSpec(name="far", kind="litellm", endpoint=endpoint)
        chat = LiteLLMChat(spec, api_key="any", patience=QUICK)
        try:
            yield server, chat
        finally:
            await chat.close()


async def ask(chat: LiteLLMChat, **options: Any) -> Any:
    return await chat.complete(ASK, sampling=Sampling(max_tokens=100), seed=1, **options)


async def test_an_answer_with_calls() -> None:
    reply = Reply("Let me see.", reasoning="hm", tool_calls=(("run", '{"code": 1'),))
    async with talking(Script(otherwise=reply)) as (server, chat):
        answer = await ask(chat, tools=[TOOL])
    assert (answer.content, answer.reasoning) == ("Let me see.", "hm")
    assert answer.tool_calls == (ToolCall("call_0_0", "run", '{"code": 1'),)
    assert answer.finish_reason == "tool_calls"
    assert answer.usage.completion_tokens > 0
    sent = server.requests[0]
    assert (sent["model"], sent["seed"], sent["max_tokens"]) == ("scripted", 1, 100)
    assert (sent["temperature"], sent["top_p"]) == (1.0, 1.0)


async def test_a_prompt_that_does_not_fit_is_an_outcome() -> None:
    async with talking(Script(max_model_len=50)) as (server, chat):
        prompt = [{"role": "user", "content": "word " * 100}]
        with pytest.raises(ContextOverflow, match="maximum context length is 50"):
            await chat.complete(prompt, sampling=Sampling(max_tokens=20), seed=1)
    assert len(server.requests) == 1


@pytest.mark.parametrize("again", [False, True])
async def test_prompt_and_max_tokens_get_what_fits(again: bool) -> None:
    text = (
        "This model's maximum context length is 200 tokens. However, you requested 250 tokens"
        " (60 in the messages, 190 in the completion)."
    )
    refusal = Reply(status=400, message=text)
    script = Script(rules=[Rule((refusal,), times=2 if again else 1)], otherwise=GOOD)
    async with talking(script) as (server, chat):
        work = chat.complete(ASK, sampling=Sampling(max_tokens=190), seed=1)
        if again:
            with pytest.raises(ContextOverflow):
                await work
        else:
            assert (await work).content == "fine"
    assert [r["max_tokens"] for r in server.requests] == [190, 140]


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_transient_statuses_are_tried_again(status: int) -> None:
    reply = Reply(status=status, retry_after="0.01")
    async with talking(Script(rules=[Rule((reply,), times=1)], otherwise=GOOD)) as (server, chat):
        answer = await ask(chat)
    assert (answer.content, answer.retries, len(server.requests)) == ("fine", 1, 2)


@pytest.mark.parametrize("status", [400, 401, 403, 404])
async def test_refusals_are_final(status: int) -> None:
    refusal = Reply(status=status, message="no such thing")
    async with talking(Script(otherwise=refusal)) as (server, chat):
        with pytest.raises(RequestRejected, match="no such thing"):
            await ask(chat)
    assert len(server.requests) == 1


async def test_a_hanging_provider_is_not_asked_twice() -> None:
    async with talking(Script(otherwise=Reply(fault="hang"))) as (server, chat):
        with pytest.raises(AnswerTimeout):
            await ask(chat, timeout_s=0.5)
    assert len(server.requests) == 1


async def test_a_provider_that_is_away_is_tried_again_and_given_up() -> None:
    async with talking(Script(die_after=0)) as (_, chat):
        with pytest.raises(ServerError, match=r"4 tries"):
            await ask(chat)


# Everything that the process looks up or connects to, from LiteLLM's import on.
_WATCHED = """
import asyncio, sys
hosts = set()
def watch(event, args):
    if event == "socket.getaddrinfo":
        hosts.add(str(args[0]))
    elif event == "socket.connect" and isinstance(args[1], tuple):
        hosts.add(str(args[1][0]))
sys.addaudithook(watch)
from agent.models import Sampling
from agent.models.litellm_chat import LiteLLMChat
from agent.models.registry import Endpoint, ModelSpec
assert "litellm" not in sys.modules  # imported only by who needs it
endpoint = Endpoint(base_url=sys.argv[1], provider="litellm", model="openai/scripted")
chat = LiteLLMChat(ModelSpec(name="far", kind="litellm", endpoint=endpoint), api_key="any")
ask = [{"role": "user", "content": "?"}]
print(asyncio.run(chat.complete(ask, sampling=Sampling(), seed=1)).content, sorted(hosts))
"""


async def test_only_the_provider_is_talked_to() -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LITELLM")}
    async with ScriptedServer(Script(otherwise=GOOD)) as server:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", _WATCHED, server.base_url, env=environment, stdout=-1
        )
        output, _ = await process.communicate()
    assert output.decode().splitlines()[-1] == "fine ['127.0.0.1']"
