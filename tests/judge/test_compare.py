"""The comparator against its rules: a table, and properties."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.judge import compare as module
from agent.judge.compare import compare
from agent.suite.problem import Tokens

TOLERANT = Tokens(float_abs=1e-6, float_rel=1e-6)
LOOSE = Tokens(case_sensitive=False)
SPACED = Tokens(space_sensitive=True)


@pytest.mark.parametrize(
    ("output", "answer", "rule", "right"),
    [
        (b"3\n", b"3\n", Tokens(), True),
        (b"3", b"3\n", Tokens(), True),
        (b" 1\t2\r\n3", b"1 2 3\n", Tokens(), True),
        (b"", b"", Tokens(), True),
        (b" \n", b"", Tokens(), True),
        (b"", b"3\n", Tokens(), False),
        (b"3 4", b"3", Tokens(), False),
        (b"3", b"3 4", Tokens(), False),
        (b"03", b"3", Tokens(), False),
        (b"+3", b"3", Tokens(), False),
        (b"3.0", b"3", Tokens(), False),
        (b"9007199254740993", b"9007199254740992", Tokens(), False),
        (b"9007199254740993", b"9007199254740992", Tokens(float_abs=0.5), False),
        (b"YES", b"Yes", Tokens(), False),
        (b"YES", b"Yes", LOOSE, True),
        (b"3\0", b"3\0", Tokens(), False),
        (b"3\0", b"3", Tokens(), False),
        (b"0.333333", b"0.333333333333", Tokens(), False),
        (b"0.333333", b"0.333333333333", TOLERANT, True),
        (b"1e3", b"1000", TOLERANT, True),
        (b"1.", b"1", TOLERANT, True),
        (b".5", b"0.5", TOLERANT, True),
        (b"1000001", b"1000000", TOLERANT, True),
        (b"1000002", b"1000000", TOLERANT, False),
        (b"nan", b"nan", TOLERANT, True),  # equal bytes
        (b"NaN", b"nan", TOLERANT, False),
        (b"inf", b"1e400", TOLERANT, False),
        (b"1e400", b"1e401", TOLERANT, False),
        (b"0x10", b"16", TOLERANT, False),
        (b"1_000", b"1000", TOLERANT, False),
        ("١".encode(), b"1", TOLERANT, False),
        (b"1.0abc", b"1.0", TOLERANT, False),
        (b"1 2\n", b"1  2\n", SPACED, False),
        (b"1 2", b"1 2\n", SPACED, False),
        (b"1 2\n", b"1 2\n", SPACED, True),
        (b"1.0 2\n", b"1.00 2\n", Tokens(float_abs=1e-9, space_sensitive=True), True),
        (b"\xff\xfe", b"\xff\xfe", Tokens(), True),
        (b"a\xc2\xa0b", b"a b", Tokens(), False),
    ],
)
def test_table(output: bytes, answer: bytes, rule: Tokens, right: bool) -> None:
    found = compare(output, answer, rule)
    assert found.right is right
    assert bool(found.note) is not right


tokens = st.lists(st.text("ab01.-", min_size=1, max_size=5).map(str.encode), max_size=12)
spaces = st.text(" \t\n\r\v\f", min_size=1, max_size=3).map(str.encode)


@given(tokens, tokens, st.data())
def test_only_tokens_count(a: list[bytes], b: list[bytes], data: st.DataObject) -> None:
    def spread(parts: list[bytes]) -> bytes:
        return b"".join(part + data.draw(spaces) for part in parts)

    assert compare(spread(a), spread(b)).right is (a == b)


@given(tokens, tokens, st.integers(1, 7))
def test_pieces_change_nothing(a: list[bytes], b: list[bytes], piece: int) -> None:
    whole = compare(b" ".join(a), b"\n".join(b))
    old, module.PIECE = module.PIECE, piece
    try:
        assert compare(b" ".join(a), b"\n".join(b)) == whole
    finally:
        module.PIECE = old


@given(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0.0, 1e-9, 1e-3, 10.0]),
    st.sampled_from([0.0, 1e-9, 1e-2]),
)
def test_tolerance_is_the_declared_one(x: float, y: float, absolute: float, rel: float) -> None:
    rule = Tokens(float_abs=absolute, float_rel=rel)
    right = compare(repr(x).encode(), repr(y).encode(), rule).right
    expected = repr(x) == repr(y) or abs(x - y) <= max(absolute, rel * abs(y))
    assert right is expected


@given(st.integers(), st.integers(), st.sampled_from([0.5, 1.0, 3.25]))
def test_integers_are_exact(x: int, y: int, absolute: float) -> None:
    right = compare(b"%d" % x, b"%d" % y, Tokens(float_abs=absolute)).right
    assert right is (abs(Decimal(x) - Decimal(y)) <= Decimal(absolute) or x == y)


@settings(max_examples=300)
@given(st.binary(max_size=40), st.binary(max_size=40), st.booleans(), st.booleans())
def test_any_bytes_give_an_answer(a: bytes, b: bytes, case: bool, space: bool) -> None:
    found = compare(a, b, Tokens(1e-6, 1e-6, case, space))
    assert found.right or found.note
    assert compare(a, a, Tokens(1e-6, 1e-6, case, space)).right is (b"\0" not in a)


def test_notes_show_what_differs() -> None:
    assert compare(b"1 2 3", b"1 2 4").note == "token 3: expected '4', got '3'"
    assert compare(b"", b"4").note == "no output"
    assert "(70 bytes)" in compare(b"x" * 70, b"1").note
    assert math.isfinite(len(compare(b"\x1b[2J", b"1").note))
