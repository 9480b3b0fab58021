"""A sweep: every member of a family in every mode, as one run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field, field_validator

from agent.run.request import RunRequest, build_request
from agent.suite.yamlfile import Strict, check, read
from agent.weights.names import member_name, parse_alphas


class SweepFile(Strict):
    """What SWEEP.yaml may hold; paths are relative to it."""

    family: str = Field(min_length=1, description="A family of models.yaml.")
    alphas: tuple[float, ...] = Field(min_length=1, description="Numbers, or start:stop:step.")
    modes: tuple[str, ...] = Field(default=("reasoning", "tool_use", "agentic"), min_length=1)
    suite: str
    models: str = Field(default="models.yaml", description="The registry.")
    n: int | None = Field(default=None, gt=0)
    settings: tuple[str, ...] = Field(default=(), description="mode.key=value, as --set.")

    @field_validator("alphas", mode="before")
    @classmethod
    def _ranges(cls, value: object) -> object:
        values = value if isinstance(value, list) else [value]
        for number in values:  # YAML 1.1 reads an unquoted 0:1:0.25 as 60.25, base sixty
            if isinstance(number, int | float) and abs(number) > 30:
                raise ValueError(f'{number} is no sensible alpha; quote ranges: "0:1:0.25"')
        return parse_alphas(",".join(map(str, values)))


def build_sweep(path: Path, **options: Any) -> RunRequest:
    """The run that a sweep file describes, members in order of α, so that neighbours share work.

    The run loads one member after the other; while the next one loads, the judge works off what
    the last one submitted. `options` are those of `build_request` that the file does not set.
    Raises UsageError.
    """
    document = read(path)
    sweep = check(SweepFile, document)
    suite = path.parent / sweep.suite
    return build_request(
        suite_path=suite if suite.exists() else Path(sweep.suite),
        registry_path=path.parent / sweep.models,
        modes=sweep.modes,
        models=[member_name(sweep.family, alpha) for alpha in sorted(sweep.alphas)],
        n=sweep.n,
        settings=sweep.settings,
        **options,
    )
