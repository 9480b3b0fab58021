"""Data sets of problems, one file each; users add theirs with an entry point.

A source is an object with `options` (a pydantic model of its keys in the suite's YAML; start from
`SourceOptions`) and `load`. Packages register theirs under the entry-point group
`frontier_agent.sources`; the entry point's name is the word that a suite writes as `source:`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Protocol

from pydantic import Field

from agent.suite.problem import Problem
from agent.suite.select import Selection
from agent.suite.suitefile import LimitsOverride

GROUP = "frontier_agent.sources"
Say = Callable[[str], None]  # tells a person what takes long
_BUILT_IN = {
    name: f"agent.suite.sources.{name}:SOURCE"
    for name in ("livecodebench", "codecontests", "apps", "taco", "codeforces", "functions")
}


class SourceOptions(Selection):
    """Keys that every source has."""

    source: str
    path: str = Field(min_length=1, description="A file or glob beside the suite, or hf://….")
    limits: LimitsOverride = LimitsOverride()


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a source gave. skipped: (id or place, reason) of what cannot be judged faithfully."""

    problems: tuple[Problem, ...]
    skipped: tuple[tuple[str, str], ...] = ()


class Source(Protocol):
    """A data set's loader."""

    @property
    def options(self) -> type[SourceOptions]: ...

    def load(self, options: Any, base: Path, say: Say) -> Loaded:
        """The problems that `options` asks for; relative paths start at `base`."""
        ...


@cache
def known_sources() -> dict[str, Any]:
    """Every known source by name, not loaded yet."""
    found: dict[str, Any] = {**_BUILT_IN}
    for point in entry_points(group=GROUP):
        found.setdefault(point.name, point)
    return found


def source_named(name: str) -> Source | None:
    """The source of that name, loaded; None when there is none."""
    found = known_sources().get(name)
    if found is None:
        return None
    if isinstance(found, str):
        module, _, attribute = found.partition(":")
        source: Source = getattr(import_module(module), attribute)
        return source
    loaded: Source = found.load()
    return loaded
