"""The OpenAI chat API as pure functions: a request's body, an answer's meaning, an error's kind."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime
from typing import Any

from agent.models import (
    Completion,
    ContextOverflow,
    Message,
    RequestRejected,
    Sampling,
    ToolCall,
    ToolSchema,
    Usage,
)

# What vLLM would otherwise take from the checkpoint's generation_config.json, unseen.
NEUTRAL = {"top_k": -1, "min_p": 0.0, "repetition_penalty": 1.0}
# Asks vLLM for the token ids of prompt and answer, and for the answer's log-probabilities.
TOKENS = {"return_token_ids": True, "logprobs": True}
_RETRIED = frozenset({408, 409, 429})
_OVERFLOW = re.compile(
    r"maximum context length|context_length_exceeded|context window|prompt is too long"
    r"|longer than the maximum model length|exceeds? the (?:model'?s )?(?:maximum )?context",
    re.IGNORECASE,
)
_LIMIT = re.compile(r"maximum context length (?:is|of) (\d+)", re.IGNORECASE)
_PROMPT = re.compile(
    r"(\d+) (?:tokens )?(?:in|from) the (?:messages|input|prompt)"
    r"|prompt contains (?:at least )?(\d+)",
    re.IGNORECASE,
)


class Transient(Exception):
    """A failure that may not happen again. `retry_after_s`: what the server asked for."""

    def __init__(self, text: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(text)
        self.retry_after_s = retry_after_s


class Unreachable(Transient):
    """Nobody listens there: no request was made."""


class TooLarge(Exception):
    """Prompt and max_tokens together do not fit, but with `max_tokens` they would."""

    def __init__(self, max_tokens: int) -> None:
        super().__init__(f"max_tokens must be at most {max_tokens}")
        self.max_tokens = max_tokens


def request_body(
    model: str,
    messages: Sequence[Message],
    sampling: Sampling,
    *,
    seed: int,
    tools: Sequence[ToolSchema],
    context_tokens: int | None,
    vllm: bool,
    extra: Mapping[str, Any],
) -> dict[str, Any]:
    """Every sampling field is sent; max_tokens never exceeds the served context."""
    max_tokens = sampling.max_tokens
    if context_tokens is not None:
        max_tokens = max(1, min(max_tokens, context_tokens - 1))
    body: dict[str, Any] = {
        "model": model,
        "messages": list(messages),
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "max_tokens": max_tokens,
        "seed": seed,
        "n": 1,
        "presence_penalty": 0.0,
        "frequency_penalty": 0.0,
        **(NEUTRAL if vllm else {}),
        **sampling.extra,
        **extra,
    }
    if tools:
        body["tools"] = list(tools)
        body["tool_choice"] = "auto"
    return body


def well_formed(body: dict[str, Any]) -> dict[str, Any]:
    """The body with U+FFFD for every half of a surrogate pair, which UTF-8 cannot carry."""
    text = json.dumps(body, ensure_ascii=False).encode("utf-16", "surrogatepass")
    cleaned: dict[str, Any] = json.loads(text.decode("utf-16", "replace"))
    return cleaned


def read_completion(value: Any) -> Completion:
    """A response body with status 200. Raises Transient when it holds no whole answer."""
    if not isinstance(value, Mapping):
        raise Transient(f"the response is not an object: {_brief(value)}")
    choices = value.get("choices")
    if not choices:  # some gateways send an error with status 200
        error = value.get("error")
        raise Transient(f"the response holds no answer: {_brief(error or value)}")
    choice = choices[0]
    finish = choice.get("finish_reason") or "stop"
    if finish in ("error", "abort"):
        raise Transient(f"the server broke off the answer (finish_reason {finish})")
    message = choice.get("message") or {}
    raw: dict[str, Any] = {}
    for place, keys in ((value, ("prompt_token_ids",)), (choice, ("token_ids", "logprobs"))):
        raw.update({key: place[key] for key in keys if place.get(key) is not None})
    return Completion(
        content=_text(message.get("content")),
        reasoning=_text(message.get("reasoning_content") or message.get("reasoning")),
        tool_calls=tuple(
            ToolCall(
                id=str(call.get("id") or f"call_{index}"),
                name=str((call.get("function") or {}).get("name") or ""),
                arguments=str((call.get("function") or {}).get("arguments") or ""),
            )
            for index, call in enumerate(message.get("tool_calls") or ())
        ),
        finish_reason=finish,
        usage=_usage(value.get("usage") or {}),
        raw=raw,
    )


def error_of(status: int, body: Any, retry_after: str | None, now: float) -> Exception:
    """What an HTTP error means. `now`: Unix seconds, for a Retry-After that is a date."""
    text = _message(body)
    if status in _RETRIED or status >= 500:
        after = retry_after_s(retry_after, now)
        return Transient(f"HTTP {status}: {text}", retry_after_s=after)
    if status in (400, 413, 422) and _is_overflow(body, text):
        limit, prompt = _LIMIT.search(text), _PROMPT.search(text)
        if limit and prompt:
            room = int(limit[1]) - int(prompt[1] or prompt[2])
            if room > 0:
                return TooLarge(room)
        return ContextOverflow(text)
    return RequestRejected(f"HTTP {status}: {text}")


def retry_after_s(value: str | None, now: float) -> float | None:
    """Seconds to wait by a Retry-After header: a number, or an HTTP date."""
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - now)
    except (ValueError, TypeError):
        return None


def _is_overflow(body: Any, text: str) -> bool:
    error = body.get("error") if isinstance(body, Mapping) else None
    param = error.get("param") if isinstance(error, Mapping) else None
    return param == "input_tokens" or _OVERFLOW.search(text) is not None


def _message(body: Any) -> str:
    """The server's own words, in one line of bounded length."""
    if isinstance(body, Mapping):
        error = body.get("error", body)
        if isinstance(error, Mapping):
            error = error.get("message") or error.get("detail") or error
        return _brief(error)
    return _brief(body)


def _brief(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 500 else text[:500] + "…"


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(str(p.get("text", "")) for p in content if isinstance(p, Mapping))
    return content if isinstance(content, str) else ""


def _usage(usage: Mapping[str, Any]) -> Usage:
    details = usage.get("completion_tokens_details") or {}
    return Usage(
        prompt_tokens=int(usage.get("prompt_tokens") or 0),
        completion_tokens=int(usage.get("completion_tokens") or 0),
        reasoning_tokens=int(details.get("reasoning_tokens") or 0),
    )
