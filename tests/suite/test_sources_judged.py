"""Tests of data sets mean the same when judged as at their source."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.judge.judge import open_judge
from agent.judge.verdict import Submission, Verdict
from agent.sandbox.backends import open_backend
from agent.suite.load import load_suite
from agent.suite.problem import Problem

SAMPLES = Path(__file__).parent.parent / "data" / "sources"

TWICE = "print(2 * int(input()))\n"
TOTAL = "class Solution:\n    def total(self, nums, extra):\n        return sum(nums) + extra\n"


def problems(source: str, folder: Path) -> dict[str, Problem]:
    path = folder / f"{source}.yaml"
    entry = f"{{source: {source}, path: {SAMPLES / source}.jsonl}}"
    path.write_text(f"problems: [{entry}]\n")
    return {p.id: p for p in load_suite(path, say=lambda text: None).problems}


@pytest.mark.parametrize(
    ("source", "right", "wrong"),
    [
        (
            "livecodebench",
            {"abc900_a": TWICE, "abc901_b": "import sys\nfor x in sys.stdin: print(2 * int(x))\n"},
            {"abc900_a": "print(4)\n", "3999": TOTAL.replace("sum(nums) + ", "")},
        ),
        ("livecodebench", {"3999": TOTAL}, {"3999": TOTAL.replace("return", "yield")}),
        ("codecontests", {"900_A. Twice": "print(2 * int(input()) + 1e-7)\n"}, {}),
        ("codecontests", {}, {"900_A. Twice": "print(2 * int(input()) + 0.01)\n"}),
        ("apps", {"apps-1": TWICE, "apps-2": TOTAL}, {"apps-1": "print(4)\n"}),
        (
            "codeforces",
            {"cf-900A": TWICE, "cf-900B": "print(int(input()) + 17)\n"},
            {"cf-900B": "print(int(input()) - 1)\n"},
        ),
        (
            "functions",
            {"mbpp-900": "def add(a, b):\n    return a + b\n"},
            {
                "mbpp-900": "def add(a, b):\n    return 3\n",
                "HumanEval-900": "def total(xs, extra):\n    return sum(xs) + extra\n",
            },
        ),
    ],
)
def test_right_and_wrong_submissions(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    source: str,
    right: dict[str, str],
    wrong: dict[str, str],
) -> None:
    import asyncio

    monkeypatch.setenv("FRONTIER_AGENT_CACHE", str(tmp_path / "cache"))
    known = problems(source, tmp_path)

    async def judge() -> None:
        backend = await open_backend("bubblewrap", say=lambda text: None)
        judge = await open_judge(backend, workers=1)
        try:
            for submissions, expected in ((right, {Verdict.AC}), (wrong, {Verdict.WA, Verdict.RE})):
                for name, code in submissions.items():
                    judgement = await judge.judge(known[name], Submission(code, "python"))
                    assert judgement.verdict in expected, (name, judgement)
        finally:
            await judge.close()
            await backend.close()

    asyncio.run(judge())


def test_a_users_own_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package registers a source by an entry point; a suite then names it like ours."""
    from importlib.metadata import EntryPoint

    from agent.suite import sources

    module = tmp_path / "their_source.py"
    module.write_text(
        "from agent.suite.sources.dataset import Dataset\n"
        "from agent.suite.sources.row_format import Case, Head\n"
        "class Theirs:\n"
        "    name, version, heavy = 'theirs', 1, ''\n"
        "    def head(self, row): return Head(row['id'], row['id'], 'Print twice.')\n"
        "    def cases(self, row): return [Case(b'1', b'2')]\n"
        "SOURCE = Dataset(Theirs(), time_s=1.0)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("FRONTIER_AGENT_CACHE", str(tmp_path / "cache"))
    point = EntryPoint("theirs", "their_source:SOURCE", sources.GROUP)
    monkeypatch.setattr(sources, "entry_points", lambda group: [point])
    sources.known_sources.cache_clear()
    try:
        (tmp_path / "x.jsonl").write_text('{"id": "one"}\n')
        suite = tmp_path / "s.yaml"
        suite.write_text("problems: [{source: theirs, path: x.jsonl}]\n")
        assert [p.id for p in load_suite(suite).problems] == ["one"]
    finally:
        sources.known_sources.cache_clear()
