"""Which model answers: families of checkpoints, a client, a server.

A `ChatModel` is all that the modes see of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from agent.errors import AgentError, InfrastructureError

Message = dict[str, Any]  # an OpenAI chat message
ToolSchema = dict[str, Any]  # an OpenAI tool: {"type": "function", "function": {...}}


class ServerError(InfrastructureError):
    """The server failed after every retry that was worth making."""


class ContextOverflow(AgentError):
    """The prompt alone does not fit the served context: an outcome, not an error of ours."""


class RequestRejected(AgentError):
    """The server refused the request for good (4xx): retrying would not help."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """Every field is sent with every request and recorded."""

    temperature: float = 1.0
    top_p: float = 1.0
    max_tokens: int = 4096  # per turn, clamped to the served context
    extra: Mapping[str, Any] = field(
        default_factory=dict
    )  # top_k, min_p, … for servers that know them


@dataclass(frozen=True, slots=True)
class ToolCall:
    id: str
    name: str
    arguments: str  # as the model wrote them: JSON, perhaps malformed


@dataclass(frozen=True, slots=True)
class Usage:
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer of a model."""

    content: str
    reasoning: str = ""  # thoughts, when the server splits them off
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str = "stop"  # stop | length | tool_calls | …
    usage: Usage = Usage()
    latency_s: float = 0.0  # of the successful request
    queue_s: float = 0.0  # waited for our semaphore, for retries and for a paused server
    retries: int = 0
    raw: Mapping[str, Any] = field(default_factory=dict)  # token ids, logprobs, … when asked for


@dataclass(frozen=True, slots=True)
class ChatStyle:
    """How a model marks its thoughts, and how it writes tool calls; from models.yaml.

    thoughts: pairs of markers. thoughts_opened: the chat template itself opens the thoughts, so
    an answer without a closing marker is all thoughts.
    """

    thoughts: tuple[tuple[str, str], ...] = (
        ("<think>", "</think>"),
        ("<thinking>", "</thinking>"),
    )
    thoughts_opened: bool = False
    text_calls: str = "xml"  # "xml" | "fenced": the text form where the server parses no calls


class ChatModel(Protocol):
    """A model that answers. Implementations: OpenAI-compatible, LiteLLM."""

    @property
    def name(self) -> str:
        """As the user wrote it, e.g. `ckpt_alpha1.5`."""
        ...

    @property
    def context_tokens(self) -> int | None:
        """The served max_model_len, when known."""
        ...

    @property
    def native_tools(self) -> bool:
        """True when the server parses tool calls; else the modes use a text form."""
        ...

    @property
    def style(self) -> ChatStyle:
        """Thought markers and the text form of tool calls."""
        ...

    @property
    def identity(self) -> Mapping[str, Any]:
        """What was really served: family, alpha, weights hash, chat template hash, server flags."""
        ...

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        sampling: Sampling,
        seed: int,
        tools: Sequence[ToolSchema] = (),
        timeout_s: float = 3600.0,
    ) -> Completion:
        """One answer; never an error text. Raises ContextOverflow, RequestRejected, ServerError."""
        ...

    async def close(self) -> None: ...
