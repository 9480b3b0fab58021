"""The reaper removes only what bears the name of a dead owner of ours."""

from __future__ import annotations

import os

import pytest

from agent.sandbox.cgroups import PREFIX, owner_alive


@pytest.mark.parametrize(
    "name", [f"{PREFIX}{os.getpid()}-1", f"{PREFIX}tests-1", f"{PREFIX}x", PREFIX, "other", ""]
)
def test_what_lives_or_is_not_ours_stays(name: str) -> None:
    assert owner_alive(name)


def test_a_dead_owner_is_told() -> None:
    assert not owner_alive(f"{PREFIX}{2**22 + 1}-1")
