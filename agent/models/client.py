"""A model behind an OpenAI-compatible server.

Chat completions go through the OpenAI SDK over its aiohttp transport: the cost of httpx's own pool
grows with the requests that wait. The SDK's retries are off: one call is one request, sent again
only where that can help (see `retry`); the connection is never the thing that waits, `Replicas`
is. Answers are read from the raw JSON (see `wire`), for servers add fields and leave some out.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import aiohttp
import openai
from httpx2 import Limits

from agent.models import (
    ChatStyle,
    Completion,
    Message,
    Sampling,
    ServerError,
    ToolSchema,
)
from agent.models.replicas import Replica, Replicas, read_gauges
from agent.models.retry import Patience, fitted
from agent.models.wire import (
    TOKENS,
    Transient,
    Unreachable,
    error_of,
    read_completion,
    request_body,
    well_formed,
)

_CONNECT_S = 10.0
_PROBE_S = 5.0
_KEEP_S = 4.0  # below uvicorn's 5 s, or a request could meet a connection that just closes


class AnswerTimeout(ServerError):
    """No whole answer in the time allowed, though the server lives."""


class OpenAIChat:
    """One served model; a `ChatModel`."""

    def __init__(
        self,
        name: str,
        base_urls: Sequence[str],
        *,
        served: str | None = None,
        api_key: str | None = None,
        context_tokens: int | None = None,
        native_tools: bool = True,
        style: ChatStyle | None = None,
        identity: Mapping[str, Any] | None = None,
        vllm: bool = False,
        extra: Mapping[str, Any] | None = None,
        record_tokens: bool = False,
        concurrency: int = 256,
        patience: Patience | None = None,
    ) -> None:
        """served: the model's name on the server. vllm: it knows vLLM's own fields and
        gauges.
        concurrency: requests at once per replica, at most."""
        self.name, self.context_tokens = name, context_tokens
        self.native_tools, self.style = native_tools, style or ChatStyle()
        self.identity: dict[str, Any] = dict(identity or {})
        self.patience = patience or Patience()
        self.vllm = vllm
        self._served = served or name
        self._extra = {**(extra or {}), **(TOKENS if record_tokens else {})}
        self._api_key = api_key
        self._session: aiohttp.ClientSession | None = None
        self.replicas = Replicas(
            base_urls,
            concurrency=concurrency,
            probe=self.alive,
            gauges=self._gauges if vllm else None,
            patience_s=self.patience.dead_s,
        )
        # Made here and not by the first call, whose loading of modules would hold up the others.
        timeout = openai.Timeout(None, connect=_CONNECT_S)  # the whole is bounded by the call
        self._pool = openai.DefaultAioHttpClient(
            limits=Limits(max_connections=0, keepalive_expiry=_KEEP_S),  # 0: as many as are asked
            timeout=timeout,
            trust_env=False,  # no proxy and no .netrc, as for the probes
        )
        self._completions = {
            replica: openai.AsyncOpenAI(
                base_url=replica.base_url,
                api_key=api_key or "none",
                http_client=self._pool,
                timeout=timeout,
                max_retries=0,
            ).chat.completions.with_raw_response
            for replica in self.replicas.all
        }

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        sampling: Sampling,
        seed: int,
        tools: Sequence[ToolSchema] = (),
        timeout_s: float = 3600.0,
    ) -> Completion:
        """One answer; see `ChatModel`. Calls with the same seed go to the same replica.

        timeout_s bounds one request from its sending to its last byte; an answer that takes longer
        raises AnswerTimeout and is not asked for again.
        """
        body = request_body(
            self._served,
            messages,
            sampling,
            seed=seed,
            tools=tools,
            context_tokens=self.context_tokens,
            vllm=self.vllm,
            extra=self._extra,
        )
        call = _Call(self, body, seed, timeout_s)
        started = time.monotonic()
        completion = await fitted(call.run, body, self.patience, self._where)
        queue_s = max(0.0, time.monotonic() - started - completion.latency_s)
        return replace(completion, queue_s=queue_s, retries=call.requests - 1)

    def is_vllm(self) -> None:
        """The server turned out to be vLLM: its own fields and gauges are used from now on."""
        self.vllm = True
        self.replicas.gauges = self._gauges

    @property
    def _where(self) -> str:
        return ", ".join(replica.base_url for replica in self.replicas.all)

    async def close(self) -> None:
        """Ends every connection; calls in flight fail."""
        await self.replicas.close()
        if self._session is not None:
            await self._session.close()
            self._session = None
        await self._pool.aclose()

    async def post(self, replica: Replica, body: Mapping[str, Any]) -> bytes:
        """Sends one chat completion; the answer's body. Raises openai.APIError."""
        rest = dict(body)
        model, messages = rest.pop("model"), rest.pop("messages")
        response = await self._completions[replica].create(
            model=model,
            messages=messages,
            extra_body=rest,  # as they are: the SDK knows only some of the fields
            extra_headers={} if self._api_key else {"Authorization": openai.Omit()},
        )
        return response.content

    @property
    def session(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_KEEP_S),
                headers={"Authorization": f"Bearer {self._api_key}"} if self._api_key else {},
                timeout=aiohttp.ClientTimeout(total=_PROBE_S, sock_connect=_CONNECT_S),
            )
        return self._session

    async def get(self, url: str) -> tuple[int, str]:
        """Status and text of a small GET. Raises aiohttp.ClientError or TimeoutError."""
        async with self.session.get(url) as response:
            return response.status, await response.text()

    async def alive(self, replica: Replica) -> bool:
        """Whether the server answers: its health when it is vLLM, else its list of models."""
        url = f"{replica.root}/health" if self.vllm else f"{replica.base_url}/models"
        try:
            status, _ = await self.get(url)
        except (aiohttp.ClientError, TimeoutError, OSError):
            return False
        return status < 500

    async def _gauges(self, replica: Replica) -> tuple[int, int] | None:
        try:
            status, text = await self.get(f"{replica.root}/metrics")
        except (aiohttp.ClientError, TimeoutError, OSError):
            return replica.gate.used, 1  # busy or away: no news
        return read_gauges(text) if status == 200 else None


class _Call:
    """One call of `complete`: the request that may be sent several times."""

    def __init__(
        self, chat: OpenAIChat, body: dict[str, Any], affinity: int, timeout_s: float
    ) -> None:
        self.chat, self.body, self.affinity, self.timeout_s = chat, body, affinity, timeout_s
        self.requests = 0

    async def run(self) -> Completion:
        """One request that reached a server; raises Transient, or an error that is final."""
        while True:
            async with self.chat.replicas.slot(self.affinity) as replica:
                try:
                    return await self._send(replica)
                except Unreachable:
                    self.chat.replicas.down(replica)
                except Transient as error:
                    if error.retry_after_s is not None:
                        pause = min(error.retry_after_s, self.chat.patience.retry_after_s)
                        replica.not_before = time.monotonic() + pause
                    raise

    async def _send(self, replica: Replica) -> Completion:
        started = time.monotonic()
        self.requests += 1
        try:
            async with asyncio.timeout(self.timeout_s):
                raw = await self.chat.post(replica, self.body)
        except UnicodeEncodeError:  # half a surrogate pair, from a model's own JSON escapes
            self.requests -= 1
            self.body.update(well_formed(self.body))
            return await self._send(replica)
        except TimeoutError as error:
            text = f"{replica.base_url}: no whole answer within {self.timeout_s:.0f} s"
            if await self.chat.alive(replica):
                raise AnswerTimeout(text) from error
            raise ServerError(f"{text}, and the server answers nothing else either") from error
        except openai.APIStatusError as error:
            response = error.response
            value, after = await _decoded(response.content), response.headers.get("Retry-After")
            raise error_of(response.status_code, value, after, time.time()) from error
        except (openai.APIConnectionError, aiohttp.ClientError, ConnectionError) as error:
            cause = _cause(error)
            if isinstance(cause, aiohttp.ClientConnectorError | aiohttp.ServerTimeoutError):
                self.requests -= 1
                raise Unreachable(f"{replica.base_url}: {cause}") from error
            raise Transient(f"{replica.base_url}: {type(cause).__name__}: {cause}") from error
        latency_s = time.monotonic() - started
        return replace(read_completion(await _decoded(raw)), latency_s=latency_s)


def _cause(error: BaseException) -> BaseException:
    """aiohttp's own error: the SDK calls every lost connection a timeout or just an error."""
    while error.__cause__ is not None and not isinstance(error, aiohttp.ClientError):
        error = error.__cause__
    return error


async def _decoded(raw: bytes) -> Any:
    """The JSON in a body, else its first words; a large one is parsed beside the event loop."""
    try:
        if len(raw) > 1 << 20:
            return await asyncio.to_thread(json.loads, raw)
        return json.loads(raw)
    except ValueError:
        return raw[:1000].decode("utf-8", "replace")
