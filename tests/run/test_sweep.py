"""A sweep file becomes one run over every member of the family."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.errors import UsageError
from agent.run.sweep import build_sweep
from tests.conftest import ROOT

PROBLEM = ROOT / "tasks" / "problems" / "pair-sums"
SWEEP = """
family: ckpt
alphas: [-0.5:1.5:0.5, 0.25]
modes: [reasoning, tool_use]
suite: suite.yaml
n: 3
settings: [tool_use.turns=4]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "suite.yaml").write_text(f"name: s\nproblems:\n  - path: {PROBLEM}\n")
    (tmp_path / "models.yaml").write_text("families:\n  ckpt: {a: a, b: b}\n")
    (tmp_path / "sweep.yaml").write_text(SWEEP)
    for name in "ab":
        (tmp_path / name).mkdir()
    return tmp_path


def test_members_in_order_of_alpha(folder: Path) -> None:
    request = build_sweep(folder / "sweep.yaml", out=folder / "out")
    assert request.models == tuple(f"ckpt_alpha{a}" for a in ("-0.5", 0, 0.25, 0.5, 1, 1.5))
    assert request.modes == ("reasoning", "tool_use")
    assert request.n == 3
    assert request.mode_settings["tool_use"]["turns"] == 4


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("family", "famly", "famly"),
        ("-0.5:1.5:0.5", "'1:0:0.5'", "never reaches"),
        ("-0.5:1.5:0.5", "0:1:0.25", "quote ranges"),
        ("[reasoning", "[resoning", "resoning"),
        ("suite.yaml", "nowhere.yaml", "nowhere.yaml"),
        ("n: 3", "n: 0", "n: "),
    ],
)
def test_errors_name_the_key(folder: Path, before: str, after: str, words: str) -> None:
    path = folder / "sweep.yaml"
    path.write_text(SWEEP.replace(before, after, 1))
    with pytest.raises(UsageError, match=words):
        build_sweep(path, out=folder / "out")
