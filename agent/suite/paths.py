"""Paths as a suite writes them: `~`, `${NAME}` of the environment, relative to the suite's file."""

from __future__ import annotations

import glob
import os
import re
from pathlib import Path

from agent.suite.errors import SuiteError

_VARIABLE = re.compile(r"\$\{(\w+)\}")


def expanded(text: str) -> str:
    """With variables and `~` replaced. Raises SuiteError for a variable that is not set."""

    def value(match: re.Match[str]) -> str:
        found = os.environ.get(match[1])
        if not found:
            raise SuiteError(f"{text}: set the environment variable {match[1]} to a folder")
        return glob.escape(found)

    return os.path.expanduser(_VARIABLE.sub(value, text))


def pattern_of(text: str, base: Path) -> str:
    """A glob pattern; the base folder's own name is taken literally."""
    return str(Path(glob.escape(str(base))) / expanded(text))
