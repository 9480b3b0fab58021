"""Flags of the default validator, and the comparator that they mean."""

from __future__ import annotations

from collections.abc import Sequence

from agent.suite.errors import SuiteError
from agent.suite.problem import Tokens

_TOLERANCES = {
    "float_tolerance": ("float_abs", "float_rel"),
    "float_absolute_tolerance": ("float_abs",),
    "float_relative_tolerance": ("float_rel",),
}


def comparator_of(flags: Sequence[str]) -> Tokens:
    """The default validator ignores case and space unless it is told not to.

    Raises SuiteError for a flag that it does not know.
    """
    case = space = False
    tolerance: dict[str, float] = {}
    left = list(flags)
    while left:
        flag = left.pop(0)
        if flag == "case_sensitive":
            case = True
        elif flag == "space_change_sensitive":
            space = True
        elif flag in _TOLERANCES:
            value = _tolerance(flag, left.pop(0) if left else "")
            tolerance.update(dict.fromkeys(_TOLERANCES[flag], value))
        else:
            raise SuiteError(f"{flag!r} is not a flag of the default validator")
    return Tokens(
        float_abs=tolerance.get("float_abs"),
        float_rel=tolerance.get("float_rel"),
        case_sensitive=case,
        space_sensitive=space,
    )


def _tolerance(flag: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise SuiteError(f"{flag} needs a tolerance, not {text!r}")
    return value
