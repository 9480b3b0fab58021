"""What the scripted server answers: rules, matched in order, from YAML or from Python.

A `Script` is a pure function from a request to a `Reply`, apart from how often each rule was used.
Tokens are counted as `count_tokens` does: one for every four bytes, which is deterministic and near
enough to a real tokenizer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field

from agent.suite import yamlfile

MESSAGE_TOKENS = 4  # the frame that a chat template puts around each message


@dataclass(frozen=True, slots=True)
class ScriptedRequest:
    """One chat completion request, with what rules can ask about it."""

    body: Mapping[str, Any]
    number: int  # requests that the server got before this one

    @property
    def messages(self) -> Sequence[Mapping[str, Any]]:
        return self.body.get("messages") or ()

    @property
    def turn(self) -> int:
        """1 for the first answer of a conversation."""
        return 1 + len([m for m in self.messages if m.get("role") == "assistant"])

    @property
    def seed(self) -> int | None:
        seed = self.body.get("seed")
        return seed if isinstance(seed, int) else None

    @property
    def last(self) -> str:
        """The text of the last message."""
        return _text(self.messages[-1]) if self.messages else ""

    @property
    def text(self) -> str:
        """The text of all messages."""
        return "\n".join(map(_text, self.messages))

    @property
    def prompt_tokens(self) -> int:
        tools = self.body.get("tools")
        size = count_tokens(json.dumps(tools)) if tools else 0
        for message in self.messages:
            size += MESSAGE_TOKENS + count_tokens(_text(message))
            if calls := message.get("tool_calls"):
                size += count_tokens(json.dumps(calls))
        return size


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer, or one fault. The first of `status`, `fault`, answer that is set counts."""

    content: str = ""
    reasoning: str = ""
    tool_calls: tuple[tuple[str, str], ...] = ()  # (name, arguments as JSON text)
    finish_reason: str | None = None  # default: stop, tool_calls, or length when cut
    latency_s: float = 0.0  # before the first byte
    completion_tokens: int | None = None  # default: counted
    status: int | None = None  # an HTTP error instead of an answer
    message: str = "scripted error"
    retry_after: str | None = None  # the header's value, seconds or a date
    fault: str | None = None  # "hang" | "reset" | "half" (half of the body, then closed)


Answer = Reply | Callable[[ScriptedRequest], Reply]


@dataclass(slots=True)
class Rule:
    """Replies to the requests that fulfil every condition given.

    Successive matches use successive replies; after the last one it starts again, unless `times`
    ends the rule before.
    """

    replies: Sequence[Answer]
    contains: str | None = None  # in any message
    last_contains: str | None = None  # in the last message
    matches: str | None = None  # a regular expression, searched in all messages
    turn: int | None = None
    seed: int | None = None
    tools: bool | None = None  # whether the request offers tools
    times: int | None = None
    used: int = 0

    def fits(self, request: ScriptedRequest) -> bool:
        return (
            (self.times is None or self.used < self.times)
            and (self.turn is None or self.turn == request.turn)
            and (self.seed is None or self.seed == request.seed)
            and (self.tools is None or self.tools == bool(request.body.get("tools")))
            and (self.last_contains is None or self.last_contains in request.last)
            and (self.contains is None or self.contains in request.text)
            and (self.matches is None or re.search(self.matches, request.text) is not None)
        )


@dataclass(slots=True)
class Script:
    """Rules and the server's own properties.

    max_num_seqs: answers in the making at once, the others wait as vLLM's do (None: all).
    tool_parser: without it, requests with tools are refused as vLLM without its flags does.
    die_after: the server closes everything at that request, and comes back after `down_s`
    (None: never).
    """

    rules: Sequence[Rule] = ()
    otherwise: Answer = Reply("I do not know.")
    model: str = "scripted"
    max_model_len: int | None = 32768
    max_num_seqs: int | None = None
    tool_parser: bool = True
    die_after: int | None = None
    down_s: float | None = None
    chunk_chars: int = 16  # of a streamed answer

    def reply(self, request: ScriptedRequest) -> Reply:
        """The answer of the first rule that fits."""
        answer = self.otherwise
        for rule in self.rules:
            if rule.fits(request):
                answer = rule.replies[rule.used % len(rule.replies)]
                rule.used += 1
                break
        return answer if isinstance(answer, Reply) else answer(request)


def count_tokens(text: str) -> int:
    """Tokens of a text: one for every four bytes begun."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 4)


def cut(text: str, tokens: int) -> str:
    """The longest start of `text` that has at most so many tokens."""
    return text.encode("utf-8", "surrogatepass")[: 4 * tokens].decode("utf-8", "ignore")


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content)
    return content or ""


class _Call(yamlfile.Strict):
    name: str
    arguments: dict[str, Any] | str = Field(default_factory=dict)


class _Reply(yamlfile.Strict):
    content: str = ""
    reasoning: str = ""
    tool_calls: list[_Call] = Field(default_factory=list)
    finish_reason: str | None = None
    latency_s: float = Field(default=0.0, ge=0)
    completion_tokens: int | None = Field(default=None, ge=0)
    status: int | None = Field(default=None, ge=400, le=599)
    message: str = "scripted error"
    retry_after: str | float | None = None
    fault: str | None = Field(default=None, pattern="^(hang|reset|half)$")

    def build(self) -> Reply:
        values = self.model_dump(exclude={"tool_calls", "retry_after"})
        calls = tuple(
            (c.name, c.arguments if isinstance(c.arguments, str) else json.dumps(c.arguments))
            for c in self.tool_calls
        )
        after = None if self.retry_after is None else str(self.retry_after)
        return Reply(**values, tool_calls=calls, retry_after=after)


class _Rule(yamlfile.Strict):
    contains: str | None = None
    last_contains: str | None = None
    matches: str | None = None
    turn: int | None = None
    seed: int | None = None
    tools: bool | None = None
    times: int | None = Field(default=None, ge=1)
    replies: list[_Reply] = Field(min_length=1)

    def build(self) -> Rule:
        values = self.model_dump(exclude={"replies"})
        return Rule(**values, replies=[reply.build() for reply in self.replies])


class _Script(yamlfile.Strict):
    model: str = "scripted"
    max_model_len: int | None = Field(default=32768, ge=1)
    max_num_seqs: int | None = Field(default=None, ge=1)
    tool_parser: bool = True
    die_after: int | None = Field(default=None, ge=0)
    down_s: float | None = Field(default=None, ge=0)
    otherwise: _Reply = _Reply(content="I do not know.")
    rules: list[_Rule] = Field(default_factory=list)


def load_script(path: Path) -> Script:
    """A script from a YAML file; see docs/models.md. Raises UsageError with file, line and key."""
    checked = yamlfile.check(_Script, yamlfile.read(path))
    values = checked.model_dump(exclude={"rules", "otherwise"})
    return Script(
        **values,
        rules=[rule.build() for rule in checked.rules],
        otherwise=checked.otherwise.build(),
    )
