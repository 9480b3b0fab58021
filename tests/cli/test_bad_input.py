"""Whatever the user gets wrong: one clear line on stderr, exit 2, no traceback, nothing written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import agent
from tests.conftest import ROOT

PROBLEM = ROOT / "tasks" / "problems" / "pair-sums"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a good suite, a good registry, and what the cases below need to be wrong."""
    (tmp_path / "suite.yaml").write_text(f"name: s\nproblems:\n  - path: {PROBLEM}\n")
    (tmp_path / "models.yaml").write_text(
        "endpoints:\n  there: {base_url: 'http://127.0.0.1:9/v1', model: there}\n"
    )
    (tmp_path / "broken.yaml").write_text("name: s\nproblems: [\n")
    (tmp_path / "empty.yaml").write_text("name: s\nproblems: []\n")
    (tmp_path / "nothing.yaml").write_text("name: s\nproblems:\n  - path: nowhere/*\n")
    (tmp_path / "key.yaml").write_text(f"name: s\nproblms:\n  - path: {PROBLEM}\n")
    (tmp_path / "text.yaml").write_text("just words\n")
    (tmp_path / "solution.py").write_text("print(1)\n")
    (tmp_path / "binary.yaml").write_bytes(bytes(range(256)))
    return tmp_path


RUN = {"--suite": "suite.yaml", "--model": "there", "--mode": "reasoning", "--out": "out"}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"--mode": "resoning"}, ["resoning", "reasoning"]),
        ({"--mode": ","}, ["mode"]),
        ({"--model": "ckpt_alpha1.5"}, ["ckpt_alpha1.5"]),
        ({"--model": "ther"}, ["ther", "there"]),
        ({"--suite": "missing.yaml"}, ["missing.yaml"]),
        ({"--suite": "broken.yaml"}, ["broken.yaml"]),
        ({"--suite": "empty.yaml"}, ["empty.yaml", "problem"]),
        ({"--suite": "nothing.yaml"}, ["nowhere"]),
        ({"--suite": "key.yaml"}, ["key.yaml", "problms", "problems"]),
        ({"--suite": "text.yaml"}, ["text.yaml"]),
        ({"--suite": "binary.yaml"}, ["binary.yaml"]),
        ({"--models": "missing.yaml"}, ["missing.yaml"]),
        ({"--models": "broken.yaml"}, ["broken.yaml"]),
        ({"--sandbox": "dockr"}, ["dockr", "docker"]),
        ({"--set": "agentic.trns=3"}, ["trns", "turns"]),
        ({"--set": "agentic"}, ["mode.key=value"]),
        ({"--shard": "4/3"}, ["4/3"]),
        ({"--base-url": "http://127.0.0.1:9/v1"}, ["127.0.0.1:9"]),
        ({"--base-url": "not a url"}, ["not a url"]),
    ],
    ids=lambda value: " ".join(*value.items()) if isinstance(value, dict) else None,
)
def test_run(folder: Path, changes: dict[str, str], words: list[str]) -> None:
    options = [part for pair in {**RUN, **changes}.items() for part in pair]
    check(agent("run", *options, cwd=folder), words)
    assert not (folder / "out" / "run.sqlite").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["judge", "missing.py", "--problem", str(PROBLEM)], ["missing.py"]),
        (["judge", "solution.py", "--problem", "nowhere"], ["nowhere"]),
        (["judge", "solution.py", "--problem", str(PROBLEM), "--language", "pyton"], ["pyton"]),
        (["report", "nowhere"], ["nowhere"]),
        (["report", "."], ["run.sqlite"]),
        (["status", "nowhere"], ["nowhere"]),
        (["export", "nowhere", "--csv", "x"], ["nowhere"]),
        (["replay", "nowhere", "1"], ["nowhere"]),
        (["rejudge", "nowhere"], ["nowhere"]),
        (["join", "nowhere", "-o", "x"], ["nowhere"]),
        (["merge", "nowhere", "also-nowhere", "--alpha", "1", "-o", "x"], ["nowhere"]),
        (["tasks", "check", "missing.yaml"], ["missing.yaml"]),
        (["tasks", "list", "key.yaml"], ["problms"]),
        (["modes", "show", "resoning", "--problem", str(PROBLEM)], ["reasoning"]),
        (["nonsense"], ["nonsense"]),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, list) else None,
)
def test_other_verbs(folder: Path, arguments: list[str], words: list[str]) -> None:
    check(agent(*arguments, cwd=folder), words)


def check(process: object, words: list[str]) -> None:
    assert process.returncode == 2, process.stderr
    assert process.stdout == ""
    assert "Traceback" not in process.stderr
    for word in words:
        assert word in process.stderr
