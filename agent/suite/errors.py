"""What can be wrong with a suite, a problem or a data set: one line that says where."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path

from agent.errors import UsageError


class SuiteError(UsageError):
    """A suite, problem or data file that the user gave cannot be used as it is."""


def at(path: Path, line: int | None, text: str) -> str:
    """`file:line: text`, as editors understand it. Lines count from 1."""
    return f"{path}:{line}: {text}" if line is not None else f"{path}: {text}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """` (did you mean 'x'?)`, or nothing when no known word is near."""
    near = difflib.get_close_matches(word, sorted(known), 1, cutoff=0.6)
    return f" (did you mean {near[0]!r}?)" if near else ""
