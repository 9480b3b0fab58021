"""What a problem is, whatever its source."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol


class Data(Protocol):
    """Bytes that are read only when needed: a file, a slice of an archive, a string."""

    @property
    def size(self) -> int: ...

    def read(self) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Test:
    """One test. `answer` never enters a sandbox that runs a submission."""

    name: str
    input: Data
    answer: Data
    sample: bool = False  # public: shown to the model
    group: str = ""
    flags: tuple[str, ...] = ()  # of the comparator or output validator, for this test


class ProblemKind(StrEnum):
    STDIN = "stdin"
    FUNCTION = "function"  # input: one JSON argument a line; answer: the JSON value it returns
    INTERACTIVE = "interactive"


@dataclass(frozen=True, slots=True)
class Tokens:
    """The default comparator: whitespace-separated tokens, byte-exact unless declared otherwise."""

    float_abs: float | None = None
    float_rel: float | None = None
    case_sensitive: bool = True
    space_sensitive: bool = False


@dataclass(frozen=True, slots=True)
class Checker:
    """A program that decides. Untrusted: it runs in a sandbox of its own.

    kind "kattis": `prog input answer feedback_dir flags… < output`, exit 42/43;
    kind "testlib": `prog input output answer`, exit 0/1/2/3.
    An interactive problem's validator is one of kind "kattis".
    """

    kind: str
    files: tuple[Path, ...]
    language: str  # name in languages.yaml
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProblemLimits:
    time_s: float
    memory_bytes: int = 1 << 30
    output_bytes: int = 64 << 20
    time_derived: bool = False  # the package declared none; derived by convention, reported as such


@dataclass(frozen=True, slots=True)
class Reference:
    """A solution that ships with a problem and the verdicts that it is declared to get."""

    name: str
    path: Path
    language: str
    expected: tuple[str, ...]  # verdict names of which one must hold, e.g. ("AC",) or ("TLE", "RE")
    files: tuple[Path, ...] = ()  # of a multi-file submission; path is then its folder
    passes_below: int | None = None  # every test with a shorter input (bytes) must be AC


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem ready to be shown to a model and judged."""

    id: str
    title: str
    statement: str
    limits: ProblemLimits
    tests: Sequence[Test]  # in order of input length, samples included; may be read when looked at
    comparator: Tokens | Checker = Tokens()
    kind: ProblemKind = ProblemKind.STDIN
    difficulty: str = ""
    tags: tuple[str, ...] = ()
    source: str = ""  # where it comes from, in words
    starter_code: str = ""  # function problems
    function: str = ""
    references: tuple[Reference, ...] = ()
    digest: str = ""  # of everything that can change a verdict; stable across machines
    extra: Mapping[str, str] = field(default_factory=dict)

    @property
    def samples(self) -> tuple[Test, ...]:
        """The public tests in order of their names, as the statement numbers them."""
        return tuple(sorted((t for t in self.tests if t.sample), key=lambda t: _natural(t.name)))


def coverage_of(input_bytes: int) -> int:
    """The smallest k whose coverage holds a test with this input length (length < 10^k)."""
    k = 1
    while input_bytes >= 10**k:
        k += 1
    return k


def _natural(name: str) -> list[tuple[int, str]]:
    """Sorts `sample2` before `sample10`."""
    parts = re.split(r"([0-9]+)", name)
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]
