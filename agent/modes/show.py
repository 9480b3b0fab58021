"""What a mode would send: the first request of an attempt, without a server."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agent.models import ChatStyle, Completion, Message, Sampling, ToolSchema
from agent.modes.calls import schemas
from agent.modes.prompt import render_messages
from agent.modes.registry import Mode
from agent.suite.problem import Problem


@dataclass(frozen=True, slots=True)
class Described:
    """A model of which only is known what a prompt depends on; it cannot answer."""

    name: str
    native_tools: bool = True
    style: ChatStyle = field(default_factory=ChatStyle)
    context_tokens: int | None = None
    identity: Mapping[str, Any] = field(default_factory=dict)

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        sampling: Sampling,
        seed: int,
        tools: Sequence[ToolSchema] = (),
        timeout_s: float = 3600.0,
    ) -> Completion:
        raise NotImplementedError("a description does not answer")

    async def close(self) -> None:
        pass


def first_request(
    problem: Problem, mode: Mode, model: Described, languages: Sequence[str], sampling: Sampling
) -> dict[str, Any]:
    """Messages, tools and identity of the first request."""
    form = mode.form_for(model)
    tools = schemas(mode.described(languages)) if form == "native" else ()
    return {
        "mode": mode.name,
        "hash": mode.identity(sampling=sampling, languages=languages).hash,
        "tool_form": form if mode.tool_names else None,
        "messages": render_messages(problem, mode, model, languages, sampling),
        "tools": list(tools),
    }


def difference(one: Mapping[str, Any], two: Mapping[str, Any]) -> str:
    """A unified diff of two requests' texts, whole: what is the same is shown too."""
    before, after = (r["messages"][0]["content"].splitlines() for r in (one, two))
    size = max(len(before), len(after))
    lines = difflib.unified_diff(before, after, one["mode"], two["mode"], n=size, lineterm="")
    return "\n".join(lines)
