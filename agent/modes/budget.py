"""What one attempt may still spend. Limits compose: the first that is reached ends it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from agent.models import Sampling, Usage
from agent.modes import AttemptLimits, End


@dataclass(slots=True)
class Budget:
    """Counts turns, tokens and time of one attempt.

    Working time is the wall time less what was spent waiting for shared resources: the server's
    queue, a free workspace, the judge's queue.
    """

    limits: AttemptLimits
    sampling: Sampling
    context_tokens: int | None
    turns: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    waited_s: float = 0.0
    context_used: int = 0  # tokens of the conversation that the server has counted so far
    started: float = field(default_factory=time.monotonic)

    @property
    def wall_s(self) -> float:
        return time.monotonic() - self.started

    @property
    def working_s(self) -> float:
        return max(0.0, self.wall_s - self.waited_s)

    @property
    def working_left_s(self) -> float:
        return max(0.0, self.limits.working_s - self.working_s)

    @property
    def turns_left(self) -> int:
        return max(0, self.limits.turns - self.turns)

    @property
    def tokens_left(self) -> int:
        return max(0, self.limits.tokens - self.completion_tokens)

    def count(self, usage: Usage, waited_s: float) -> None:
        """One answer of the model."""
        self.turns += 1
        self.prompt_tokens += usage.prompt_tokens
        self.completion_tokens += usage.completion_tokens
        self.reasoning_tokens += usage.reasoning_tokens
        self.context_used = usage.prompt_tokens + usage.completion_tokens
        self.waited_s += waited_s

    def over(self) -> End | None:
        """The limit that forbids another ordinary turn, or None. The reserve is kept back."""
        reserve = self.limits.reserve_tokens if self.turns else 0
        if self.turns_left == 0:
            return End.TURNS
        if self.tokens_left <= reserve:
            return End.TOKENS
        if self.context_tokens is not None and self.context_left() <= reserve:
            return End.CONTEXT_FULL
        if self.working_left_s <= 0:
            return End.TIME
        return None

    def context_left(self) -> int:
        """Tokens that the served context still holds, as far as the server has told."""
        assert self.context_tokens is not None
        return max(0, self.context_tokens - self.context_used)

    def turn_tokens(self, *, last: bool = False) -> int:
        """max_tokens of the next turn: sampling, per turn, in all, and the served context.

        The reserve for one last answer is kept back, except from that answer itself. The exact
        room in the context is the server's to know; this only never asks for what cannot fit.
        """
        reserve = 0 if last or self.limits.turns == 1 else self.limits.reserve_tokens
        allowed = [self.sampling.max_tokens, self.tokens_left - reserve]
        if self.limits.tokens_per_turn is not None:
            allowed.append(self.limits.tokens_per_turn)
        if last and self.limits.reserve_tokens:
            allowed.append(max(self.limits.reserve_tokens, 1))
        if self.context_tokens is not None:
            allowed.append(self.context_left() - reserve)
        return max(1, min(allowed))

    def remaining(self) -> str:
        """The line that ends every tool result."""
        turns, tokens = self.turns_left, max(0, self.tokens_left - self.limits.reserve_tokens)
        return f"[{turns} turn{'' if turns == 1 else 's'} and {tokens:,} output tokens left]"
