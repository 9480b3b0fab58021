from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.errors import UsageError
from agent.weights.names import member_name, parse_alphas, parse_member


def test_the_names_of_the_documentation() -> None:
    assert member_name("ckpt", 1.5) == "ckpt_alpha1.5"
    assert member_name("ckpt", -0.5) == "ckpt_alpha-0.5"
    assert member_name("ckpt", 1) == member_name("ckpt", 1.0) == "ckpt_alpha1"
    assert parse_member("ckpt_alpha-0.5") == ("ckpt", -0.5)
    assert parse_member("ckpt_alpha1.50") == ("ckpt", 1.5)


@given(st.text("abc_./-A1", min_size=1), st.floats(allow_nan=False, allow_infinity=False, width=64))
def test_names_round_trip(family: str, alpha: float) -> None:
    assert parse_member(member_name(family, alpha)) == (family, alpha)


@pytest.mark.parametrize(
    "name",
    ["ckpt", "ckpt_alpha", "_alpha1", "ckpt_alphax", "ckpt_alpha1_0", "ckpt_alpha1e999",
     "ckpt_alpha1 ", "ckpt_alpha1/x", "ckpt_alpha.5", "ckpt_alphanan"],
)  # fmt: skip
def test_other_names_are_not_members(name: str) -> None:
    assert parse_member(name) is None


@pytest.mark.parametrize("alpha", [math.nan, math.inf])
def test_alpha_must_be_finite(alpha: float) -> None:
    with pytest.raises(UsageError, match="finite"):
        member_name("ckpt", alpha)


def test_ranges() -> None:
    assert parse_alphas("-0.5:1.5:0.25") == (-0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5)
    assert parse_alphas("0:1:0.1")[3] == 0.3
    assert parse_alphas("1:0:-0.5") == (1.0, 0.5, 0.0)
    assert parse_alphas("1.5, 0, 1.5") == (1.5, 0.0)


@pytest.mark.parametrize("text", ["", "x", "0:1", "0:1:0", "0:1:-1", "nan", "0:1:1e-9", "1:2:3:4"])
def test_wrong_ranges(text: str) -> None:
    with pytest.raises(UsageError, match="alphas"):
        parse_alphas(text)
