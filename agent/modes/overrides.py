"""`--set mode.key=value`: mode settings from the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from agent.errors import UsageError
from agent.modes.registry import MODES, load_mode
from agent.suite.errors import did_you_mean


def with_overrides(
    modes: Mapping[str, Mapping[str, Any]], texts: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """The settings of `modes` with each `mode.key=value` on top; values are YAML scalars.

    Raises UsageError, also for a misspelt setting of a mode that nobody asked for.
    """
    merged = {name: dict(values) for name, values in modes.items()}
    for text in texts:
        target, equals, value = text.partition("=")
        mode, dot, key = target.partition(".")
        if not (equals and dot and key):
            raise UsageError(f"--set {text!r}: expected mode.key=value, e.g. agentic.turns=20")
        if mode not in MODES:
            hint = did_you_mean(mode, MODES)
            raise UsageError(f"--set {mode!r}: expected one of {', '.join(MODES)}{hint}")
        merged.setdefault(mode, {})[key] = yaml.safe_load(value)
    for name, values in merged.items():
        load_mode(name, values)
    return merged
