"""Is this output right? The default token comparator, on bytes.

Outputs of 64 MiB are compared piece by piece, so that neither is ever held as a list of tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from agent.suite.problem import Tokens

PIECE = 1 << 20  # bytes that are split into tokens at a time

# No nan, inf, hexadecimal or underscores: what `float` would take is not what a problem declares.
_NUMBER = re.compile(rb"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_INTEGER = re.compile(rb"[+-]?\d+")
_SPACE_OR_TOKEN = re.compile(rb"[ \t\n\r\v\f]+|[^ \t\n\r\v\f]+")
_SPACE = re.compile(rb"[ \t\n\r\v\f]")
_SHOWN = 60  # bytes of a token in a note


@dataclass(frozen=True, slots=True)
class Comparison:
    """`right`, and for a person why not (shows both outputs: for samples only)."""

    right: bool
    note: str = ""


RIGHT = Comparison(True)


def compare(output: bytes, answer: bytes, rule: Tokens = Tokens()) -> Comparison:
    """Compares an output with the expected one.

    Tokens are separated by ASCII whitespace and equal byte for byte (integers too: they are never
    read as floats). Where `rule` declares a tolerance, two numbers are also equal when
    |output − answer| ≤ max(abs, rel·|answer|); integers are subtracted exactly. An output with a
    NUL byte is never right.
    """
    if b"\0" in output:
        return Comparison(False, "the output contains a NUL byte")
    if output == answer:
        return RIGHT
    if not rule.case_sensitive:
        output, answer = output.lower(), answer.lower()
    if rule.space_sensitive:
        return _compare_spaced(output, answer, rule)
    return _compare_tokens(output, answer, rule)


def _compare_tokens(output: bytes, answer: bytes, rule: Tokens) -> Comparison:
    ours, theirs = _pieces(output), _pieces(answer)
    a: list[bytes] = []
    b: list[bytes] = []
    seen = 0
    while True:
        a = a or next(ours, [])
        b = b or next(theirs, [])
        if not a or not b:
            break
        n = min(len(a), len(b))
        head, expected = a[:n], b[:n]
        if head != expected:
            for i, (x, y) in enumerate(zip(head, expected, strict=True)):
                if x != y and not _close(x, y, rule):
                    where = f"token {seen + i + 1}"
                    return Comparison(False, f"{where}: expected {_show(y)}, got {_show(x)}")
        seen += n
        a, b = a[n:], b[n:]
    if b:
        if not seen:
            return Comparison(False, "no output")
        return Comparison(False, f"the output ends after {seen} tokens, expected {_show(b[0])}")
    if a:
        return Comparison(False, f"after {seen} tokens nothing more expected, got {_show(a[0])}")
    return RIGHT


def _pieces(data: bytes) -> Iterator[list[bytes]]:
    """The tokens of about `PIECE` bytes at a time; never an empty list."""
    start = 0
    while start < len(data):
        end = start + PIECE
        if end < len(data):
            gap = _SPACE.search(data, end)
            end = gap.start() if gap else len(data)
        tokens = data[start:end].split()
        if tokens:
            yield tokens
        start = end


def _compare_spaced(output: bytes, answer: bytes, rule: Tokens) -> Comparison:
    """As tokens, and every run of whitespace must be the same too."""
    if output == answer:
        return RIGHT
    ours, theirs = _SPACE_OR_TOKEN.finditer(output), _SPACE_OR_TOKEN.finditer(answer)
    while True:
        x, y = next(ours, None), next(theirs, None)
        if x is None and y is None:
            return RIGHT
        got, expected = x.group() if x else b"", y.group() if y else b""
        if got != expected and not _close(got, expected, rule):
            where = f"byte {x.start() if x else len(output)}"
            return Comparison(False, f"{where}: expected {_show(expected)}, got {_show(got)}")


def _close(x: bytes, y: bytes, rule: Tokens) -> bool:
    """Are two different tokens numbers within the declared tolerance? y is the answer's."""
    if rule.float_abs is None and rule.float_rel is None:
        return False
    if not _NUMBER.fullmatch(x) or not _NUMBER.fullmatch(y):
        return False
    absolute, relative = rule.float_abs or 0.0, rule.float_rel or 0.0
    if len(x) < 400 and len(y) < 400 and _INTEGER.fullmatch(x) and _INTEGER.fullmatch(y):
        a, b = int(x), int(y)
        return abs(a - b) <= max(Fraction(str(absolute)), Fraction(str(relative)) * abs(b))
    p, q = float(x), float(y)
    return abs(p - q) <= max(absolute, relative * abs(q))  # an overflow to inf is never close


def _show(token: bytes) -> str:
    if not token:
        return "nothing"
    text = repr(token[:_SHOWN].decode("utf-8", "backslashreplace"))
    return text if len(token) <= _SHOWN else f"{text}… ({len(token)} bytes)"
