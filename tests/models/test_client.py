"""What the client makes of a server that answers well, badly, late, half, or not at all."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from agent.models import ContextOverflow, RequestRejected, Sampling, ServerError, ToolCall
from agent.models.client import AnswerTimeout, OpenAIChat
from agent.models.retry import Patience
from agent.models.script import Reply, Rule, Script, count_tokens
from agent.models.scripted import ScriptedServer
from tests.models.conftest import QUICK, talking

ASK: list[dict[str, Any]] = [{"role": "user", "content": "Solve it."}]
TOOL = {"type": "function", "function": {"name": "run", "parameters": {"type": "object"}}}
GOOD = Reply("fine")


def faulty(*replies: Reply, **script: Any) -> Script:
    return Script(rules=[Rule(replies, times=len(replies))], otherwise=GOOD, **script)


async def ask(chat: OpenAIChat, seed: int = 1, **options: Any) -> Any:
    sampling = options.pop("sampling", Sampling(max_tokens=100))
    return await chat.complete(ASK, sampling=sampling, seed=seed, **options)


async def test_every_sampling_field_is_sent_and_no_stop_string() -> None:
    async with talking(Script(otherwise=GOOD), vllm=True) as (server, chat):
        sampling = Sampling(temperature=0.3, top_p=0.9, max_tokens=77, extra={"top_k": 5})
        await ask(chat, 11, sampling=sampling)
    sent = server.requests[0]
    assert sent | {"messages": 0} == {
        "model": "scripted", "messages": 0, "temperature": 0.3, "top_p": 0.9, "max_tokens": 77,
        "seed": 11, "n": 1, "presence_penalty": 0.0, "frequency_penalty": 0.0,
        "top_k": 5, "min_p": 0.0, "repetition_penalty": 1.0,
    }  # fmt: skip


async def test_an_answer_with_thoughts_calls_and_usage() -> None:
    reply = Reply("Let me see.", reasoning="hm", tool_calls=(("run", '{"code": 1'),))
    async with talking(Script(otherwise=reply)) as (_, chat):
        answer = await ask(chat, tools=[TOOL])
    assert (answer.content, answer.reasoning) == ("Let me see.", "hm")
    assert answer.tool_calls == (ToolCall("call_0_0", "run", '{"code": 1'),)
    assert answer.finish_reason == "tool_calls"
    assert answer.usage.completion_tokens > 0
    assert answer.retries == 0


async def test_a_call_cut_by_the_limit_is_no_call() -> None:
    reply = Reply(tool_calls=(("run", '{"code": "' + "x" * 400 + '"}'),))
    async with talking(Script(otherwise=reply)) as (_, chat):
        answer = await ask(chat, tools=[TOOL], sampling=Sampling(max_tokens=20))
    assert answer.finish_reason == "length"
    assert answer.tool_calls == ()
    assert answer.content.startswith("<tool_call>")
    assert answer.usage.completion_tokens == 20


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503])
async def test_transient_statuses_are_tried_again(status: int) -> None:
    async with talking(faulty(Reply(status=status), Reply(status=status))) as (server, chat):
        answer = await ask(chat)
    assert (answer.content, answer.retries, len(server.requests)) == ("fine", 2, 3)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
async def test_other_refusals_are_final(status: int) -> None:
    refusal = Reply(status=status, message="no such thing")
    async with talking(faulty(refusal)) as (server, chat):
        with pytest.raises(RequestRejected, match=f"HTTP {status}: no such thing"):
            await ask(chat)
    assert len(server.requests) == 1


async def test_retries_end_with_the_last_reason() -> None:
    async with talking(Script(otherwise=Reply(status=500, message="boom"))) as (server, chat):
        with pytest.raises(ServerError, match=r"HTTP 500: boom \(4 tries"):
            await ask(chat)
    assert len(server.requests) == 4


async def test_retry_after_is_honoured_by_every_call_to_that_server() -> None:
    async with talking(faulty(Reply(status=429, retry_after="0.5"))) as (_, chat):
        began = time.monotonic()
        first = asyncio.create_task(ask(chat, 1))
        await asyncio.sleep(0.1)
        second = await ask(chat, 2)
        assert time.monotonic() - began >= 0.5
        assert second.queue_s >= 0.3
        assert (await first).retries == 1


@pytest.mark.parametrize("fault", ["reset", "half"])
async def test_a_broken_answer_is_asked_for_again(fault: str) -> None:
    async with talking(faulty(Reply("x" * 1000, fault=fault))) as (server, chat):
        answer = await ask(chat)
    assert (answer.content, answer.retries, len(server.requests)) == ("fine", 1, 2)


async def test_a_hanging_server_is_not_asked_twice() -> None:
    async with talking(faulty(Reply(fault="hang"))) as (server, chat):
        with pytest.raises(AnswerTimeout):
            await ask(chat, timeout_s=0.3)
        assert (await ask(chat)).content == "fine"
        assert server.running == 0
    assert len(server.requests) == 2


async def test_a_server_that_answers_nothing_at_all_is_not_the_models_slowness(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("agent.models.client._PROBE_S", 0.2)
    held: list[asyncio.StreamWriter] = []
    server = await asyncio.start_server(lambda _, writer: held.append(writer), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    chat = OpenAIChat("m", [f"http://127.0.0.1:{port}/v1"], patience=QUICK)
    with pytest.raises(ServerError, match="answers nothing else") as error:
        await ask(chat, timeout_s=0.2)
    assert not isinstance(error.value, AnswerTimeout)
    await chat.close()
    for writer in held:
        writer.close()
    server.close()


async def test_a_server_that_dies_pauses_all_calls_until_it_is_back() -> None:
    script = Script(otherwise=Reply("fine", latency_s=0.05), die_after=20, down_s=1.5)
    async with talking(script, concurrency=8) as (server, chat):
        answers = await asyncio.gather(*(ask(chat, seed) for seed in range(60)))
    assert [a.content for a in answers] == ["fine"] * 60
    assert max(a.retries for a in answers) <= 1  # only those in flight; waiting is no retry
    assert len(server.requests) <= 60 + 8
    assert max(a.queue_s for a in answers) >= 1.0
    assert max(a.latency_s for a in answers) < 1.0


async def test_a_server_that_stays_away_is_given_up() -> None:
    patience = Patience(tries=3, first_s=0.01, longest_s=0.02, dead_s=0.5)
    async with talking(Script(die_after=0), patience=patience) as (_, chat):
        results = await asyncio.gather(*(ask(chat, s) for s in range(5)), return_exceptions=True)
    assert all(isinstance(r, ServerError) for r in results)
    assert "has not answered for" in str(results[0])


async def test_a_prompt_that_does_not_fit_is_an_outcome() -> None:
    async with talking(Script(max_model_len=50)) as (server, chat):
        with pytest.raises(ContextOverflow, match="maximum context length is 50"):
            await chat.complete(
                [{"role": "user", "content": "word " * 100}], sampling=Sampling(), seed=1
            )
    assert len(server.requests) == 1


async def test_max_tokens_is_clamped_to_the_served_context() -> None:
    async with talking(Script(max_model_len=200, otherwise=GOOD)) as (server, chat):
        assert (await ask(chat, sampling=Sampling(max_tokens=100_000))).content == "fine"
    assert server.requests[0]["max_tokens"] == 199


async def test_servers_that_add_prompt_and_max_tokens_get_what_fits() -> None:
    text = (
        "This model's maximum context length is 200 tokens. However, you requested 250 tokens"
        " (60 in the messages, 190 in the completion)."
    )
    async with talking(faulty(Reply(status=400, message=text))) as (server, chat):
        await ask(chat, sampling=Sampling(max_tokens=190))
    assert [r["max_tokens"] for r in server.requests] == [190, 140]


async def test_an_answer_that_the_server_broke_off_is_never_content() -> None:
    async with talking(faulty(Reply("half an ans", finish_reason="error"))) as (server, chat):
        assert (await ask(chat)).content == "fine"
    assert len(server.requests) == 2


async def test_calls_stick_to_the_replica_of_their_seed_and_spread_evenly() -> None:
    script = {"otherwise": Reply("fine", latency_s=0.1)}
    async with ScriptedServer(Script(**script)) as one, ScriptedServer(Script(**script)) as two:
        chat = OpenAIChat("scripted", [one.base_url, two.base_url], patience=QUICK)
        for _ in range(3):  # three turns of ten attempts
            await asyncio.gather(*(ask(chat, seed) for seed in range(10)))
        await chat.close()
    seeds = [{r["seed"] for r in server.requests} for server in (one, two)]
    assert [len(s) for s in seeds] == [5, 5]
    assert not seeds[0] & seeds[1]


async def test_a_dead_replica_leaves_its_attempts_to_the_others() -> None:
    async with ScriptedServer() as one, ScriptedServer() as two:
        chat = OpenAIChat("scripted", [one.base_url, two.base_url], patience=QUICK)
        await asyncio.gather(*(ask(chat, seed) for seed in range(6)))
        one.stop()
        answers = await asyncio.gather(*(ask(chat, seed) for seed in range(6)))
        await chat.close()
    assert len(answers) == 6
    assert {r["seed"] for r in two.requests[3:]} == set(range(6))


async def test_no_more_requests_at_once_than_allowed() -> None:
    async with talking(Script(otherwise=Reply("x", latency_s=0.02)), concurrency=5) as (s, chat):
        answers = await asyncio.gather(*(ask(chat, seed) for seed in range(40)))
        assert s.peak == 5
    assert sum(a.queue_s > 0.01 for a in answers) >= 30


async def test_admission_follows_the_servers_gauges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent.models.replicas.GAUGE_S", 0.05)
    script = Script(otherwise=Reply("x", latency_s=0.1), max_num_seqs=4)
    async with talking(script, concurrency=200, vllm=True) as (server, chat):
        work = asyncio.gather(*(ask(chat, seed) for seed in range(120)))
        gate = chat.replicas.all[0].gate
        settled = False
        while not work.done() and not settled:  # once the first 32 are through
            await asyncio.sleep(0.01)
            settled = (gate.limit, server.running) == (6, 4) and len(server.waiting) <= 2
        answers = await work
    assert settled
    late = answers[60:]
    assert sum(a.queue_s for a in late) > 5 * sum(a.latency_s - 0.1 for a in late)


async def test_cancelled_calls_give_their_place_back() -> None:
    async with talking(Script(otherwise=Reply("x", latency_s=5)), concurrency=2) as (server, chat):
        tasks = [asyncio.create_task(ask(chat, seed)) for seed in range(6)]
        await asyncio.sleep(0.1)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0.05)
        assert server.running == 0
        server.script.otherwise = GOOD
        assert (await ask(chat)).content == "fine"
        assert chat.replicas.all[0].gate.used == 0
        assert chat.replicas.all[0].outstanding == 0


async def test_large_and_strange_answers_come_through() -> None:
    text = "\x00\x1b[31m\ud83d\ude00 \u2028" + "y" * 3_000_000
    async with talking(Script(otherwise=Reply(text), max_model_len=None)) as (_, chat):
        answer = await ask(chat, sampling=Sampling(max_tokens=2_000_000))
    assert answer.content == text.encode("utf-16", "surrogatepass").decode("utf-16")
    assert answer.usage.completion_tokens > count_tokens("y" * 3_000_000)


async def test_half_a_surrogate_pair_in_a_prompt_is_replaced() -> None:
    async with talking(Script(otherwise=GOOD)) as (server, chat):
        prompt = [{"role": "user", "content": "a\ud83db \ud83d\ude00"}]
        answer = await chat.complete(prompt, sampling=Sampling(max_tokens=5), seed=1)
    assert server.requests[0]["messages"][0]["content"] == "a\ufffdb \U0001f600"
    assert answer.retries == 0


@pytest.mark.parametrize("key", [None, "secret"])
async def test_only_a_key_that_was_given_is_sent(
    key: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "of-the-environment")
    heads: list[bytes] = []

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        chat = OpenAIChat("m", [f"http://127.0.0.1:{port}/v1"], api_key=key, patience=QUICK)
        with pytest.raises(RequestRejected, match="HTTP 401"):
            await ask(chat)
        await chat.close()
    sent = [line for line in heads[0].split(b"\r\n") if line.lower().startswith(b"authorization")]
    assert [line.lower() for line in sent] == ([b"authorization: bearer secret"] if key else [])
