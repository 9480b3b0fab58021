"""From a name to a model that answers: merge what is missing, serve it, check what is served."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from agent.errors import UsageError
from agent.models import ChatModel, Message, RequestRejected, Sampling, ServerError, ToolSchema
from agent.models.client import OpenAIChat
from agent.models.registry import Endpoint, ModelSpec, Registry
from agent.models.retry import Patience
from agent.models.serve import VllmServer, chat_template

Say = Callable[[str], None]

_HELLO: tuple[Message, ...] = ({"role": "user", "content": "Hello"},)
_PROBE_TOOL: ToolSchema = {
    "type": "function",
    "function": {
        "name": "probe",
        "description": "Does nothing.",
        "parameters": {"type": "object", "properties": {"text": {"type": "string"}}},
    },
}
_WARM_UP_S = 600.0


@asynccontextmanager
async def open_model(
    name: str,
    *,
    registry: Registry,
    base_url: str | None = None,
    say: Say = lambda text: None,
    concurrency: int = 256,
    merged_dir: Path | None = None,
    patience: Patience | None = None,
) -> AsyncIterator[ChatModel]:
    """The model that `name` stands for, ready to answer while the block lasts.

    A checkpoint is served by a vLLM of our own, a missing member of a family is merged first. A
    server that already runs is asked whether it serves that name. concurrency: requests at once, at
    most. Raises UsageError for what the user can put right, ServerStartError, MergeError.
    """
    spec = registry.resolve(name, base_url=base_url, merged_dir=merged_dir)
    if spec.kind == "litellm":
        from agent.models.litellm_chat import LiteLLMChat

        assert spec.endpoint is not None
        chat = LiteLLMChat(spec, api_key=_api_key(spec.endpoint), concurrency=concurrency)
        try:
            yield chat
        finally:
            await chat.close()
    elif spec.endpoint is not None:
        async with _remote(spec, spec.endpoint, concurrency, patience) as model:
            yield model
    else:
        async with _served(spec, say, concurrency, patience) as model:
            yield model


async def ensure_folder(spec: ModelSpec, say: Say) -> Path:
    """The checkpoint's folder, merged from A and B when it is not there yet."""
    assert spec.path is not None
    if spec.to_merge:
        from agent.weights.merge import merge_members

        assert spec.parents is not None
        assert spec.alpha is not None
        if not (spec.path / "config.json").exists():
            say(f"{spec.name}: merging {spec.parents[0].name} and {spec.parents[1].name}")
        spec.path.parent.mkdir(parents=True, exist_ok=True)
        report = await asyncio.to_thread(
            merge_members, *spec.parents, {spec.alpha: spec.path}, **spec.merge
        )
        for member in report.members:
            for warning in member.warnings:
                say(f"{spec.name}: {warning}")
    elif not (spec.path / "config.json").is_file():
        raise UsageError(f"{spec.name}: {spec.path} is no model folder (it has no config.json)")
    return spec.path


@asynccontextmanager
async def _served(
    spec: ModelSpec, say: Say, concurrency: int, patience: Patience | None
) -> AsyncIterator[ChatModel]:
    folder = await ensure_folder(spec, say)
    async with VllmServer(folder, spec.name, spec.serve, say=say) as server:
        chat = OpenAIChat(
            spec.name,
            [server.base_url],
            api_key=server.api_key,
            vllm=True,
            native_tools=spec.serve.tool_call_parser is not None,
            style=spec.style,
            record_tokens=spec.record_tokens,
            concurrency=concurrency,
            patience=patience,
        )
        try:
            card = await _card(chat, spec.name)
            if card.get("root") != str(folder):
                raise ServerError(f"{server.base_url} serves {card.get('root')}, not {folder}")
            chat.identity = {
                **_described(spec),
                **await asyncio.to_thread(_hashes, folder, spec.serve.chat_template),
                **server.identity,
                "version": await _version(chat),
            }
            await _settle(chat, say)
            yield chat
        finally:
            await chat.close()


@asynccontextmanager
async def _remote(
    spec: ModelSpec, endpoint: Endpoint, concurrency: int, patience: Patience | None
) -> AsyncIterator[ChatModel]:
    served = endpoint.model or spec.name
    chat = OpenAIChat(
        spec.name,
        endpoint.urls,
        served=served,
        api_key=_api_key(endpoint),
        context_tokens=endpoint.context_tokens,
        native_tools=endpoint.native_tools,
        style=spec.style,
        extra=endpoint.extra,
        record_tokens=spec.record_tokens,
        concurrency=concurrency,
        patience=patience,
    )
    try:
        card = await _card(chat, served)
        vllm = card.get("owned_by") == "vllm"
        root = card.get("root")
        chat.identity = {
            **_described(spec),
            "base_urls": [_without_secrets(url) for url in endpoint.urls],
            "served": served,
            "root": root,
            "extra": dict(endpoint.extra),
        }
        if vllm:
            chat.is_vllm()
            chat.identity["version"] = await _version(chat)
            if _is_here(endpoint.urls) and isinstance(root, str) and os.path.isdir(root):
                chat.identity.update(await asyncio.to_thread(_hashes, Path(root), None))
            await _settle(chat, lambda text: None)
        yield chat
    finally:
        await chat.close()


async def _card(chat: OpenAIChat, served: str) -> Mapping[str, Any]:
    """The model's entry in /v1/models of every replica. Raises UsageError, in one line."""
    card: Mapping[str, Any] = {}
    for replica in chat.replicas.all:
        url = f"{replica.base_url}/models"
        try:
            status, text = await chat.get(url)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            reason = str(error) or "no answer in time"
            raise UsageError(f"{url}: cannot be reached ({reason}); is the server up?") from None
        if status != 200:
            hint = "; check the API key (api_key_env)" if status in (401, 403) else ""
            raise UsageError(f"{url}: HTTP {status}{hint}")
        try:
            cards = {entry["id"]: entry for entry in json.loads(text)["data"]}
        except (ValueError, KeyError, TypeError):
            raise UsageError(f"{url}: this is no OpenAI-compatible server") from None
        if served not in cards:
            names = ", ".join(sorted(cards)[:8]) or "nothing"
            raise UsageError(f"{replica.base_url} does not serve {served!r}; it serves {names}")
        card = cards[served]
        length = card.get("max_model_len")
        if isinstance(length, int):  # the smallest of all replicas
            chat.context_tokens = min(length, chat.context_tokens or length)
    return card


async def _settle(chat: OpenAIChat, say: Say) -> None:
    """Warms the server up and finds out whether tools really reach the model.

    The first request of a server is slow, and a chat template without a place for tools drops
    them silently: then the prompt is as long with tools as without.
    """
    sampling = Sampling(temperature=0.0, max_tokens=1)
    bare = await chat.complete(_HELLO, sampling=sampling, seed=0, timeout_s=_WARM_UP_S)
    if not chat.native_tools:
        return
    try:
        armed = await chat.complete(
            _HELLO, sampling=sampling, seed=0, tools=[_PROBE_TOOL], timeout_s=_WARM_UP_S
        )
    except RequestRejected:
        chat.native_tools = False
        say(f"{chat.name}: the server parses no tool calls; tools are called in text")
        return
    if armed.usage.prompt_tokens <= bare.usage.prompt_tokens:
        chat.native_tools = False
        say(f"{chat.name}: the chat template has no place for tools; tools are called in text")


async def _version(chat: OpenAIChat) -> str | None:
    try:
        status, text = await chat.get(f"{chat.replicas.all[0].root}/version")
        return str(json.loads(text)["version"]) if status == 200 else None
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError, KeyError, TypeError):
        return None


def _described(spec: ModelSpec) -> dict[str, Any]:
    return {"name": spec.name, "kind": spec.kind, "family": spec.family, "alpha": spec.alpha}


def _hashes(folder: Path, template: str | None) -> dict[str, Any]:
    """What is in a checkpoint's folder; a template given to the server takes its own's place."""
    import hashlib

    from agent.weights.identity import checkpoint_identity

    hashes = dict(checkpoint_identity(folder))
    if template is not None:
        hashes["chat_template"] = hashlib.sha256(chat_template(template).read_bytes()).hexdigest()
    return hashes


def _api_key(endpoint: Endpoint) -> str | None:
    if endpoint.api_key_env is None:
        return None
    key = os.environ.get(endpoint.api_key_env)
    if not key:
        raise UsageError(f"the environment variable {endpoint.api_key_env} (API key) is not set")
    return key


def _is_here(urls: tuple[str, ...]) -> bool:
    return all(urlsplit(url).hostname in ("127.0.0.1", "localhost", "::1") for url in urls)


def _without_secrets(url: str) -> str:
    """The URL without user and password, for records."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
