"""What a run is asked to do: from the command line and the suite to one checked request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from agent.errors import UsageError
from agent.models import Sampling
from agent.models.registry import Registry, load_registry
from agent.modes.overrides import with_overrides
from agent.modes.registry import MODES
from agent.run.plan import Shard
from agent.suite.errors import did_you_mean
from agent.suite.load import Suite, load_suite


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What the user asked for, names still unresolved."""

    suite: Suite
    modes: tuple[str, ...]
    models: tuple[str, ...]
    out: Path
    registry: Registry
    n: int = 1
    seed: int = 0
    sampling: Sampling = Sampling()
    mode_settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    base_url: str | None = None
    sandbox: str = "auto"
    all_tests: bool = False
    concurrency: int = 16
    judges: int | None = None
    shard: Shard = Shard()


@dataclass(frozen=True, slots=True)
class Summary:
    """How the run stands when the command ends."""

    planned: int
    done: int
    solved: int
    errors: int
    interrupted: bool

    @property
    def owed(self) -> int:
        return self.planned - self.done

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "owed": self.owed}

    def as_text(self, out: Path) -> str:
        """Completeness first; what to do next."""
        parts = [f"{out}: {self.done}/{self.planned} done, {self.owed} owed, {self.solved} solved"]
        if self.errors:
            parts.append(f"{self.errors} infrastructure errors (never counted as failures)")
        if self.owed:
            parts.append("re-issue the same command to go on")
        else:
            parts.append(f"next: agent report {out}")
        return "; ".join(parts)


def build_request(
    *,
    suite_path: Path,
    modes: Sequence[str],
    models: Sequence[str],
    out: Path,
    registry_path: Path | None = None,
    n: int | None = None,
    seed: int | None = None,
    temperature: float | None = None,
    top_p: float | None = None,
    max_tokens: int | None = None,
    settings: Sequence[str] = (),
    base_url: str | None = None,
    sandbox: str = "auto",
    all_tests: bool = False,
    concurrency: int = 16,
    judges: int | None = None,
    shard: str = "1/1",
) -> RunRequest:
    """Checks everything that can be checked before anything is written. Raises UsageError."""
    mode_names = _names(modes)
    if not mode_names:
        raise UsageError(f"no mode: expected some of {', '.join(MODES)}")
    for name in mode_names:
        _known("--mode", name, MODES)
    _known("--sandbox", sandbox, ("auto", "docker", "bubblewrap"))
    part = Shard.parse(shard)
    suite = load_suite(suite_path)
    model_names = _names(models) or suite.models
    if not model_names:
        raise UsageError("no model: name one with --model, or in the suite under `models`")
    given = suite.sampling
    return RunRequest(
        suite=suite,
        modes=mode_names,
        models=model_names,
        out=out,
        registry=load_registry(registry_path),
        n=n if n is not None else int(given.get("n", 1)),
        seed=seed if seed is not None else int(given.get("seed", 0)),
        sampling=Sampling(
            temperature=_first(temperature, given.get("temperature"), 1.0),
            top_p=_first(top_p, given.get("top_p"), 1.0),
            max_tokens=_first(max_tokens, given.get("max_tokens"), 4096),
            extra=given.get("extra", {}),
        ),
        mode_settings=with_overrides(suite.modes, settings),
        base_url=base_url,
        sandbox=sandbox,
        all_tests=all_tests,
        concurrency=concurrency,
        judges=judges,
        shard=part,
    )


def _first(*values: Any) -> Any:
    return next(value for value in values if value is not None)


def _names(values: Sequence[str]) -> tuple[str, ...]:
    """`a,b` and repeated options alike, in order, each once."""
    names = [name.strip() for value in values for name in value.split(",")]
    return tuple(dict.fromkeys(name for name in names if name))


def _known(option: str, value: str, allowed: Sequence[str]) -> None:
    if value not in allowed:
        hint = did_you_mean(value, allowed)
        raise UsageError(f"{option} {value!r}: expected one of {', '.join(allowed)}{hint}")
