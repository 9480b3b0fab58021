"""Problems that ask for a function: how it is called, and how its result is compared.

The process inside only computes. Its result comes back over a private descriptor as JSON of exact
builtin types and is compared here, so overloaded `==`, walked frames, exit handlers or patched
builtins change nothing but the submission's own answer.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from agent.judge.compare import RIGHT, Comparison, compare
from agent.suite.problem import Tokens

HARNESS = "call_.py"  # its name in the sandbox
SOURCE = (Path(__file__).parent / "inside" / "call.py").read_bytes()
LANGUAGES = ("python", "pypy")  # whose run command takes a Python file
_INTEGER = re.compile(r"-?\d+")


class _Int(str):
    """An integer as it was written: never read through int or float."""


class _Float(str):
    """The same for a number with a point or an exponent."""


def stdin_of(arguments: bytes, nonce: str) -> bytes:
    return nonce.encode() + b"\n" + arguments


def compare_result(result: bytes, nonce: str, answer: bytes, rule: Tokens) -> Comparison:
    """Compares what came over the private descriptor with the expected JSON value.

    Types must be equal, except that an integer stands for a float of the same value. Floats need
    the declared tolerance, else equality. Raises ValueError when `answer` itself is not JSON.
    """
    expected = _parse(answer)
    prefix = nonce.encode() + b" "
    if not result:
        return Comparison(False, "the function returned no result")
    if result.startswith(b"refused " + prefix):
        return Comparison(False, "its result cannot be compared: not of a plain builtin type")
    if not result.startswith(prefix):
        return Comparison(False, "what was written as a result is not the function's result")
    try:
        got = _parse(result[len(prefix) :])
        same = _same(got, expected, rule)
    except (ValueError, RecursionError):
        return Comparison(False, "what was written as a result is not JSON")
    if same:
        return RIGHT
    ours, theirs = _short(result[len(prefix) :]), _short(answer)
    return Comparison(False, f"expected {theirs}, got {ours}")


def _parse(data: bytes) -> Any:
    return json.loads(
        data.decode("utf-8"), parse_int=_Int, parse_float=_Float, parse_constant=_Float
    )


def _same(got: Any, expected: Any, rule: Tokens) -> bool:
    if isinstance(expected, _Float):
        number = isinstance(got, _Int | _Float)
        return number and (got == expected or _close(got, expected, rule))
    if type(got) is not type(expected):
        return False
    if isinstance(expected, list):
        return len(got) == len(expected) and all(
            _same(x, y, rule) for x, y in zip(got, expected, strict=True)
        )
    if isinstance(expected, dict):
        return got.keys() == expected.keys() and all(
            _same(got[key], expected[key], rule) for key in expected
        )
    return bool(got == expected)


def _close(got: str, expected: str, rule: Tokens) -> bool:
    """Numbers of different spelling: equal as floats, or within the declared tolerance."""
    exact = Tokens(float_abs=rule.float_abs or 0.0, float_rel=rule.float_rel or 0.0)
    return compare(got.encode(), expected.encode(), exact).right


def _short(data: bytes) -> str:
    text = data.decode("utf-8", "replace").strip()
    return text if len(text) <= 100 else text[:100] + "…"
