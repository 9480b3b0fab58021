"""Three ways to let a model work: one loop, three sets of tools, one template each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from agent.judge.verdict import Submission


class End(StrEnum):
    """Why an attempt ended. All but SUBMITTED mean the outcome `no_submission`."""

    SUBMITTED = "submitted"
    NO_CODE = "no_code_block"
    TRUNCATED_IN_REASONING = "truncated_in_reasoning"
    TRUNCATED = "truncated"
    CONTEXT_FULL = "context_full"
    TURNS = "turn_limit"
    TOKENS = "token_limit"
    TIME = "time_limit"
    FORMAT = "format_errors"
    SANDBOX_DESTROYED = "sandbox_destroyed"
    REJECTED = "request_rejected"


@dataclass(frozen=True, slots=True)
class AttemptLimits:
    """Limits of one attempt; they compose, the first that is reached ends it."""

    turns: int = 1
    tokens_per_turn: int | None = None  # besides the sampling's max_tokens
    tokens: int = 1 << 20  # output tokens in all turns
    reserve_tokens: int = 0  # of them, kept back for one last answer when a limit is reached
    tool_s: float = 10.0  # wall seconds of one tool call
    tool_memory_bytes: int = 512 << 20
    working_s: float = 3600.0  # waiting for the server's queue does not count
    wall_s: float = 24 * 3600.0  # hard, teardown included
    format_errors: int = 3  # in a row


@dataclass(frozen=True, slots=True)
class Generation:
    """What an attempt left: everything needed to judge, replay and report it."""

    end: End
    submission: Submission | None
    transcript: tuple[Mapping[str, Any], ...]  # one mapping per message or tool result, in order
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    turns: int = 0
    tool_calls: int = 0
    wall_s: float = 0.0
    working_s: float = 0.0
    seed: int = 0
    notes: Mapping[str, Any] = field(default_factory=dict)
