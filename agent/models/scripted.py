"""A deterministic OpenAI-compatible server: real HTTP, scripted answers, latencies and faults.

It takes the place of a model in tests of whole attempts and in benchmarks, so it answers as vLLM
does where that matters: error texts, clamped max_tokens, cut tool calls, gauges. One connection is
one small protocol object and a waiting request is one timer, so thousands of concurrent requests
cost little.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Self

from agent.models.script import Reply, Script, ScriptedRequest, count_tokens, cut

_MAX_BODY = 64 << 20


@dataclass(slots=True, eq=False)
class _Job:
    """An answer in the making."""

    connection: _Connection
    request: ScriptedRequest
    reply: Reply
    started: bool = False
    timer: asyncio.TimerHandle | None = None


class ScriptedServer:
    """Serves a script on loopback while its `async with` block lasts.

    `requests`: the bodies of all chat completion requests, in order of arrival.
    """

    def __init__(self, script: Script | None = None, *, port: int = 0) -> None:
        self.script = script or Script()
        self.requests: list[Mapping[str, Any]] = []
        self.running = 0
        self.waiting: deque[_Job] = deque()
        self.peak = 0
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self._port = port
        self._server: asyncio.Server | None = None
        self._connections: set[_Connection] = set()
        self._revival: asyncio.TimerHandle | asyncio.Task[None] | None = None

    @property
    def port(self) -> int:
        return self._port

    @property
    def base_url(self) -> str:
        """As an OpenAI client wants it."""
        return f"http://127.0.0.1:{self._port}/v1"

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *error: object) -> None:
        if self._revival is not None:
            self._revival.cancel()
        self.stop()

    async def start(self) -> None:
        """Listens, on the same port as before when it was stopped."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: _Connection(self), "127.0.0.1", self._port, backlog=8192, reuse_address=True
        )
        self._port = self._server.sockets[0].getsockname()[1]

    def stop(self) -> None:
        """Stops listening and breaks every connection, as a crash would."""
        if self._server is not None:
            self._server.close()
            self._server = None
        for connection in list(self._connections):
            connection.reset()

    def answer(self, connection: _Connection, body: dict[str, Any]) -> None:
        """Takes one chat completion request; the connection gets its response later."""
        script = self.script
        request = ScriptedRequest(body, len(self.requests))
        self.requests.append(body)
        if script.die_after is not None and request.number >= script.die_after:
            self._die()
            return
        if (refusal := _refusal(script, request)) is not None:
            connection.respond(*refusal)
            return
        reply = script.reply(request)
        if reply.status is not None:
            headers = {"Retry-After": reply.retry_after} if reply.retry_after else {}
            kind = "InternalServerError" if reply.status >= 500 else "BadRequestError"
            error = _error(reply.status, reply.message, kind)
            self._later(reply.latency_s, lambda: connection.respond(*error, headers))
            return
        if reply.fault == "reset":
            self._later(reply.latency_s, connection.reset)
            return

        connection.job = _Job(connection, request, reply)
        self.waiting.append(connection.job)
        self._next()

    def _next(self) -> None:
        limit = self.script.max_num_seqs
        while self.waiting and (limit is None or self.running < limit):
            job = self.waiting.popleft()
            self.running += 1
            self.peak = max(self.peak, self.running)
            if job.reply.fault != "hang":
                loop = asyncio.get_running_loop()
                job.timer = loop.call_later(job.reply.latency_s, self._finish, job)
            job.started = True

    def _finish(self, job: _Job) -> None:
        self.running -= 1
        job.connection.job = None
        self._respond(job.connection, job.request, job.reply)
        self._next()

    def abandon(self, job: _Job) -> None:
        """The client went away: its answer is dropped, as vLLM aborts it."""
        if not job.started:
            self.waiting.remove(job)
            return
        if job.timer is not None:
            job.timer.cancel()
        self.running -= 1
        self._next()

    @staticmethod
    def _later(seconds: float, action: Callable[[], None]) -> None:
        if seconds > 0:
            asyncio.get_running_loop().call_later(seconds, action)
        else:
            action()

    def _respond(self, connection: _Connection, request: ScriptedRequest, reply: Reply) -> None:
        body = _completion(self.script, request, reply)
        self.prompt_tokens += body["usage"]["prompt_tokens"]
        self.completion_tokens += body["usage"]["completion_tokens"]
        half = reply.fault == "half"
        if request.body.get("stream"):
            options = request.body.get("stream_options") or {}
            usage = bool(options.get("include_usage"))
            connection.stream(_chunks(body, self.script.chunk_chars, usage=usage), half=half)
        else:
            connection.respond(200, body, half=half)

    def _die(self) -> None:
        script = self.script
        script.die_after = None
        self.stop()
        if script.down_s is not None:
            loop = asyncio.get_running_loop()

            def revive() -> None:
                self._revival = loop.create_task(self.start())

            self._revival = loop.call_later(script.down_s, revive)

    def get(self, path: str) -> tuple[int, Any]:
        """The answer to a GET: a JSON value or a text."""
        script = self.script
        if path == "/v1/models":
            card = {"id": script.model, "object": "model", "created": 0, "owned_by": "scripted"}
            return 200, {
                "object": "list",
                "data": [{**card, "root": script.model, "max_model_len": script.max_model_len}],
            }
        if path == "/health":
            return 200, ""
        if path == "/version":
            return 200, {"version": "scripted"}
        if path == "/metrics":
            values = {
                "num_requests_running": self.running,
                "num_requests_waiting": len(self.waiting),
                "prompt_tokens_total": self.prompt_tokens,
                "generation_tokens_total": self.completion_tokens,
            }
            label = f'{{engine="0",model_name="{script.model}"}}'
            return 200, "".join(f"vllm:{k}{label} {float(v)}\n" for k, v in values.items())
        return _error(404, "Not Found", "NotFoundError")


def _refusal(script: Script, request: ScriptedRequest) -> tuple[int, Any] | None:
    """vLLM's own refusals, in its words (0.32)."""
    body = request.body
    if body.get("model") != script.model:
        return _error(404, f"The model `{body.get('model')}` does not exist.", "NotFoundError")
    if body.get("tools") and not script.tool_parser and body.get("tool_choice") != "none":
        return _error(
            400,
            '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser'
            " to be set",
        )
    limit, wanted = script.max_model_len, body.get("max_tokens")
    if wanted is not None and wanted < 1:
        return _error(400, f"max_tokens must be at least 1, got {wanted}.", param="max_tokens")
    if limit is None:
        return None
    if wanted is not None and wanted > limit:
        return _error(
            400,
            f"max_tokens={wanted} cannot be greater than max_model_len={limit}.",
            param="max_tokens",
        )
    if request.prompt_tokens >= limit:
        return _error(
            400,
            f"This model's maximum context length is {limit} tokens. However, your prompt contains"
            f" at least {limit + 1} input tokens. Please reduce the length of the input prompt.",
            param="input_tokens",
        )
    return None


def _error(
    status: int, message: str, kind: str = "BadRequestError", param: str | None = None
) -> tuple[int, Any]:
    return status, {"error": {"message": message, "type": kind, "param": param, "code": status}}


def _completion(script: Script, request: ScriptedRequest, reply: Reply) -> dict[str, Any]:
    """The response body; an answer that does not fit is cut as vLLM cuts it."""
    prompt = request.prompt_tokens
    allowed = int(request.body.get("max_tokens") or 1 << 30)
    if script.max_model_len is not None:
        allowed = min(allowed, script.max_model_len - prompt)
    calls = reply.tool_calls
    raw = reply.content + "".join(
        f'<tool_call>\n{{"name": "{name}", "arguments": {arguments}}}\n</tool_call>'
        for name, arguments in calls
    )
    thought = count_tokens(reply.reasoning)
    tokens = thought + count_tokens(raw) + 1
    finish = reply.finish_reason or ("tool_calls" if calls else "stop")
    reasoning, content = reply.reasoning, reply.content
    if tokens > allowed:
        reasoning = cut(reasoning, allowed)
        content = cut(raw, max(0, allowed - thought))
        tokens, calls, finish = allowed, (), "length"
    tokens = reply.completion_tokens if reply.completion_tokens is not None else tokens
    message: dict[str, Any] = {"role": "assistant", "content": content, "tool_calls": []}
    if reasoning:
        message["reasoning"] = reasoning
    message["tool_calls"] = [
        {
            "id": f"call_{request.number}_{index}",
            "type": "function",
            "function": {"name": name, "arguments": arguments},
        }
        for index, (name, arguments) in enumerate(calls)
    ]
    return {
        "id": f"chatcmpl-{request.number}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": script.model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": tokens,
            "total_tokens": prompt + tokens,
        },
    }


def _chunks(body: Mapping[str, Any], size: int, *, usage: bool) -> list[dict[str, Any]]:
    """The same answer as server-sent chunks."""
    frame = {"id": body["id"], "created": body["created"], "model": body["model"]}
    frame["object"] = "chat.completion.chunk"
    message, finish = body["choices"][0]["message"], body["choices"][0]["finish_reason"]
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    for key in ("reasoning", "content"):
        text = message.get(key) or ""
        deltas += [{key: text[i : i + size]} for i in range(0, len(text), size)]
    deltas += [
        {"tool_calls": [{"index": i, **call}]} for i, call in enumerate(message["tool_calls"])
    ]
    chunks: list[dict[str, Any]] = [
        {**frame, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        for delta in deltas
    ]
    chunks.append({**frame, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    if usage:
        chunks.append({**frame, "choices": [], "usage": body["usage"]})
    return chunks


class _Connection(asyncio.Protocol):
    """HTTP/1.1 with keep-alive, as much of it as OpenAI clients use."""

    def __init__(self, server: ScriptedServer) -> None:
        self._server = server
        self._buffer = bytearray()
        self._transport: asyncio.Transport | None = None
        self.job: _Job | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._server._connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._server._connections.discard(self)
        if self.job is not None:
            self._server.abandon(self.job)
            self.job = None

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > 1 << 16:
                self.reset()
            return
        head = bytes(self._buffer[:end]).decode("latin-1").split("\r\n")
        length = 0
        for line in head[1:]:
            name, _, value = line.partition(":")
            if name.lower() == "content-length":
                length = int(value)
        if length > _MAX_BODY:
            self.respond(*_error(413, "Request too large"))
            return
        if len(self._buffer) < end + 4 + length:
            return
        body = bytes(self._buffer[end + 4 : end + 4 + length])
        del self._buffer[: end + 4 + length]
        method, path, _ = head[0].split(" ", 2)
        self._dispatch(method, path.partition("?")[0], body)

    def _dispatch(self, method: str, path: str, body: bytes) -> None:
        if method == "GET":
            self.respond(*self._server.get(path))
            return
        try:
            value = json.loads(body)
            if not isinstance(value, dict):
                raise ValueError("expected an object")
        except ValueError as error:
            self.respond(*_error(400, f"not JSON: {error}"))
            return
        if path == "/v1/chat/completions":
            self._server.answer(self, value)
        elif path == "/tokenize":
            request = ScriptedRequest(value, 0)
            text = value.get("prompt")
            count = request.prompt_tokens if text is None else count_tokens(text)
            limit = self._server.script.max_model_len
            self.respond(200, {"count": count, "max_model_len": limit, "tokens": [0] * count})
        else:
            self.respond(*_error(404, "Not Found", "NotFoundError"))

    def respond(
        self,
        status: int,
        body: Any,
        headers: Mapping[str, str] | None = None,
        *,
        half: bool = False,
    ) -> None:
        """One whole response; `half`: its first half, then the connection closes."""
        if self._transport is None:
            return
        text = body if isinstance(body, str) else json.dumps(body)
        kind = "text/plain; charset=utf-8" if isinstance(body, str) else "application/json"
        data = text.encode()
        extra = "".join(f"{k}: {v}\r\n" for k, v in (headers or {}).items())
        head = (
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n"
            f"Content-Type: {kind}\r\nContent-Length: {len(data)}\r\n{extra}\r\n"
        )
        if half:
            data = data[: len(data) // 2]
        self._transport.write(head.encode() + data)
        if half:
            self._transport.close()

    def stream(self, chunks: list[dict[str, Any]], *, half: bool = False) -> None:
        """The chunks as server-sent events; `half`: the first half, then the connection closes."""
        if self._transport is None:
            return
        events = [f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks]
        events = events[: len(events) // 2] if half else [*events, b"data: [DONE]\n\n"]
        head = (
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n"
        )
        parts = [b"%x\r\n%b\r\n" % (len(event), event) for event in events]
        self._transport.write(head + b"".join(parts) + (b"" if half else b"0\r\n\r\n"))
        if half:
            self._transport.close()

    def reset(self) -> None:
        """Breaks the connection with a TCP reset."""
        if self._transport is None:
            return
        linger = struct.pack("ii", 1, 0)
        sock = self._transport.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self._transport.abort()
