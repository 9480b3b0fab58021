"""Which attempts a run consists of. Pure: the same configuration gives the same plan everywhere."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agent.errors import UsageError


@dataclass(frozen=True, slots=True)
class Cell:
    """One model in one mode."""

    model: str
    mode: str
    mode_hash: str
    family: str | None = None
    alpha: float | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Planned:
    """One attempt of the plan."""

    model: str
    mode: str
    problem: str
    sample: int
    seed: int


def seed_of(run_seed: int, problem: str, mode: str, model: str, sample: int) -> int:
    """A seed of 48 bits for one attempt, so that it survives JSON and no two samples share one."""
    text = "\0".join((str(run_seed), problem, mode, model, str(sample)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")


def plan(
    cells: Iterable[Cell], problems: Sequence[str], *, n: int, run_seed: int
) -> Iterator[Planned]:
    """Every attempt, cell by cell, all problems' first samples before any second one.

    Samples come outermost within a cell, so that a run that is stopped early has covered every
    problem about equally often.
    """
    for cell in cells:
        for sample in range(n):
            for problem in problems:
                seed = seed_of(run_seed, problem, cell.mode, cell.model, sample)
                yield Planned(cell.model, cell.mode, problem, sample, seed)


@dataclass(frozen=True, slots=True)
class Shard:
    """Part `index` (1-based) of `count` equal parts of a plan."""

    index: int = 1
    count: int = 1

    @classmethod
    def parse(cls, text: str) -> Shard:
        """`i/N` as typed by the user, 1 ≤ i ≤ N."""
        try:
            index, count = (int(part) for part in text.split("/"))
        except ValueError:
            raise UsageError(f"--shard {text!r}: expected i/N, for example 3/16") from None
        if not 1 <= index <= count:
            raise UsageError(f"--shard {text!r}: i must lie between 1 and N")
        return cls(index, count)

    def holds(self, attempt: Planned) -> bool:
        """Whether this attempt is ours. By seed, so every shard gets every kind of work alike."""
        return attempt.seed % self.count == self.index - 1
