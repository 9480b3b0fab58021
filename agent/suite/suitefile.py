"""What a suite's YAML file may hold."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, field_validator

from agent.suite.own import MIB
from agent.suite.problem import ProblemLimits
from agent.suite.select import Selection
from agent.suite.yamlfile import Strict


class LimitsOverride(Strict):
    """Limits on top of the problems' own."""

    time_s: float | None = Field(default=None, gt=0, description="CPU seconds, for every problem.")
    time_factor: float = Field(default=1.0, gt=0, description="Multiplies every time limit.")
    memory_mb: int | None = Field(default=None, gt=0)
    output_mb: int | None = Field(default=None, gt=0)

    def applied(self, limits: ProblemLimits) -> ProblemLimits:
        return ProblemLimits(
            time_s=(self.time_s or limits.time_s) * self.time_factor,
            memory_bytes=self.memory_mb * MIB if self.memory_mb else limits.memory_bytes,
            output_bytes=self.output_mb * MIB if self.output_mb else limits.output_bytes,
            time_derived=limits.time_derived and self.time_s is None,
        )


class SuiteLimits(LimitsOverride):
    time_factors: dict[str, float] = Field(
        default_factory=dict, description="Multiplies the time limit, by submission language."
    )


class SamplingPart(Strict):
    temperature: float | None = Field(default=None, ge=0)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int | None = Field(default=None, gt=0)
    n: int | None = Field(default=None, gt=0, description="Attempts per problem, model, mode.")
    seed: int | None = None
    extra: dict[str, Any] = Field(default_factory=dict, description="top_k, min_p, …")


class ModePart(Strict):
    """Settings of one mode; what is absent keeps the mode's own default."""

    variant: str | None = None
    tool_form: Literal["auto", "native", "xml", "fenced"] | None = None
    output_chars: int | None = Field(default=None, gt=0)
    turns: int | None = Field(default=None, gt=0)
    tokens_per_turn: int | None = Field(default=None, gt=0)
    tokens: int | None = Field(default=None, gt=0)
    reserve_tokens: int | None = Field(default=None, ge=0)
    tool_s: float | None = Field(default=None, gt=0)
    tool_memory_bytes: int | None = Field(default=None, gt=0)
    working_s: float | None = Field(default=None, gt=0)
    wall_s: float | None = Field(default=None, gt=0)
    format_errors: int | None = Field(default=None, gt=0)


class ModesPart(Strict):
    reasoning: ModePart = ModePart()
    tool_use: ModePart = ModePart()
    agentic: ModePart = ModePart()


class PathEntry(Selection):
    """Problem folders: our own format or ICPC/Kattis packages, told apart by themselves."""

    path: str = Field(min_length=1, description="A folder or glob, relative to this file.")
    limits: LimitsOverride = LimitsOverride()


class SuiteFile(Strict):
    """A suite. Entries of `problems` are checked one by one, by their source."""

    name: str = ""
    description: str = ""
    extends: str = Field(default="", description="Another suite, whose keys this one overrides.")
    problems: tuple[dict[str, Any], ...] = ()
    languages: tuple[str, ...] = Field(default=("python", "cpp"), min_length=1)
    limits: SuiteLimits = SuiteLimits()
    sampling: SamplingPart = SamplingPart()
    modes: ModesPart = ModesPart()
    models: tuple[str, ...] = ()
    strict: bool = Field(default=False, description="A damaged problem stops, not skips.")

    @field_validator("languages", "models", mode="before")
    @classmethod
    def _one_is_a_list(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value
