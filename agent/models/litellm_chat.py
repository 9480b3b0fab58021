"""Models of providers that are not OpenAI-compatible, through LiteLLM."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agent.models import Completion, Message, Sampling, ServerError, ToolSchema
from agent.models.client import AnswerTimeout
from agent.models.registry import ModelSpec
from agent.models.replicas import Gate
from agent.models.retry import Patience, fitted
from agent.models.wire import Transient, error_of, read_completion, request_body


def _library() -> Any:
    """LiteLLM, without its price list from the network and without telemetry."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.num_retries = 0
    litellm.drop_params = False  # a field that a provider does not take is an error, not a surprise
    return litellm


class LiteLLMChat:
    """One model of a provider; a `ChatModel`."""

    def __init__(
        self,
        spec: ModelSpec,
        *,
        api_key: str | None = None,
        concurrency: int = 64,
        patience: Patience | None = None,
    ) -> None:
        endpoint = spec.endpoint
        assert endpoint is not None
        self.name, self.style = spec.name, spec.style
        self.context_tokens = endpoint.context_tokens
        self.native_tools = endpoint.native_tools
        self._served = endpoint.model or spec.name
        self._extra = dict(endpoint.extra)
        self._options = {"api_key": api_key, "base_url": endpoint.base_url}
        self._gate = Gate(concurrency)
        self._patience = patience or Patience()
        self._litellm = _library()
        self.identity: Mapping[str, Any] = {
            "name": spec.name,
            "kind": "litellm",
            "served": self._served,
            "extra": self._extra,
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
        """One answer; see `ChatModel`."""
        body = request_body(
            self._served,
            messages,
            sampling,
            seed=seed,
            tools=tools,
            context_tokens=self.context_tokens,
            vllm=False,
            extra=self._extra,
        )
        requests = 0

        async def once() -> Completion:
            nonlocal requests
            await self._gate.acquire()
            try:
                requests += 1
                return await self._request(body, timeout_s)
            finally:
                self._gate.release()

        started = time.monotonic()
        completion = await fitted(once, body, self._patience, self._served)
        queue_s = max(0.0, time.monotonic() - started - completion.latency_s)
        return replace(completion, queue_s=queue_s, retries=requests - 1)

    async def _request(self, body: dict[str, Any], timeout_s: float) -> Completion:
        started = time.monotonic()
        options = {key: value for key, value in self._options.items() if value is not None}
        try:
            async with asyncio.timeout(timeout_s):
                response = await self._litellm.acompletion(
                    **body, **options, timeout=timeout_s, num_retries=0, max_retries=0
                )
        except TimeoutError as error:
            raise AnswerTimeout(f"{self._served}: no answer within {timeout_s:.0f} s") from error
        except Exception as error:
            raise self._typed(error) from error
        latency_s = time.monotonic() - started
        return replace(read_completion(response.model_dump()), latency_s=latency_s)

    def _typed(self, error: Exception) -> Exception:
        """LiteLLM's exceptions carry the provider's status code, as the OpenAI SDK's do."""
        library = self._litellm
        if isinstance(error, library.Timeout):
            return AnswerTimeout(f"{self._served}: {error}")
        if isinstance(error, library.APIConnectionError):
            return Transient(f"{self._served}: {error}")
        status = getattr(error, "status_code", None)
        if not isinstance(status, int):
            return ServerError(f"{self._served}: {type(error).__name__}: {error}")
        headers = getattr(getattr(error, "response", None), "headers", None) or {}
        return error_of(status, str(error), headers.get("retry-after"), time.time())

    async def close(self) -> None:
        """Nothing is held open."""
