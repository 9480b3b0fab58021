"""`agent tasks`, as a user runs it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest

from agent.cli.main import main
from tests.suite.test_kattis import LEGACY
from tests.suite.test_own import GENERATED
from tests.suite.test_yaml import OWN, write

SAMPLES = Path(__file__).parent.parent / "data" / "sources"


@dataclass
class Ran:
    stdout: str
    stderr: str


class Agent(Protocol):
    def __call__(self, *args: object, code: int = 0) -> Ran: ...


@pytest.fixture
def agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Agent:
    """Runs `agent tasks …` in `tmp_path` and checks its exit code."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FRONTIER_AGENT_CACHE", str(tmp_path / "cache"))

    def run(*args: object, code: int = 0) -> Ran:
        monkeypatch.setattr("sys.argv", ["agent", "tasks", *map(str, args)])
        capfd.readouterr()
        ended: object = 0
        try:
            main()
        except SystemExit as stop:
            ended = stop.code or 0
        ran = Ran(*capfd.readouterr())
        assert ended == code, ran
        return ran

    return run


def test_list_show_stats_hash(agent: Agent, tmp_path: Path) -> None:
    write(tmp_path / "p/twice", OWN)
    write(tmp_path / "p/bad", {**OWN, "tests/c.in": "1\n"})
    ran = agent("list", "p")
    assert "twice" in ran.stdout
    assert "2 tests" in ran.stdout
    assert "skipped bad" in ran.stderr
    shown = json.loads(agent("show", "p", "-p", "twice", "--json").stdout)
    assert shown[0]["tests"][1] == {"name": "b", "input_bytes": 4, "coverage": 1, "sample": False}
    assert "Print twice" in agent("show", "p").stdout
    stats = json.loads(agent("stats", "p", "-n", 10, "--json").stdout)
    assert (stats["problems"], stats["tests"], stats["judge_s_most"]) == (1, 2, 20.0)
    assert stats["coverages"][0]["tests"] == 2
    assert "coverage" in agent("stats", "p").stdout
    hashes = json.loads(agent("hash", "p", "--json").stdout)
    assert hashes["problems"]["twice"] == shown[0]["digest"]


def test_nested_coverages_add_up(agent: Agent, tmp_path: Path) -> None:
    write(tmp_path / "p", {**OWN, "tests/c.in": "1" * 10, "tests/c.ans": "2\n"})
    stats = json.loads(agent("stats", "p", "--json").stdout)
    assert [(c["k"], c["tests"], c["added"]) for c in stats["coverages"]][:3] == [
        (1, 2, 2),
        (2, 3, 1),
        (3, 3, 0),
    ]
    assert (stats["coverages"][-1]["k"], stats["coverages"][-1]["tests"]) == (0, 3)


@pytest.mark.parametrize(
    ("args", "text", "expected"),
    [
        (("list", "nothing"), None, "no such suite"),
        (("list", "s.yaml"), "problems: []", "no problems"),
        (("list", "s.yaml"), "problms: []", "did you mean 'problems'?"),
        (("stats", "s.yaml"), "problems: [", "not YAML"),
        (("check", "s.yaml"), "problems: [{path: x}]", "no problem folder"),
        (("show", "s.yaml", "-p", "twise"), "problems: [{path: p}]", "did you mean 'twice'?"),
        (("import", "no.jsonl", "-o", "new.yaml"), None, "no data file matches"),
        (("import", "p", "-o", "s.yaml"), "name: mine", "exists already"),
    ],
)
def test_usage_errors_are_one_line(
    agent: Agent, tmp_path: Path, args: tuple[str, ...], text: str | None, expected: str
) -> None:
    write(tmp_path / "twice", OWN)
    (tmp_path / "p").symlink_to("twice")
    if text is not None:
        (tmp_path / "s.yaml").write_text(text)
    ran = agent(*args, code=2)
    assert expected in ran.stderr
    assert ran.stderr.count("\n") == 1
    assert not (tmp_path / "new.yaml").exists()


@pytest.mark.parametrize("name", sorted(p.stem for p in SAMPLES.glob("*.jsonl")))
def test_import_tells_the_source(agent: Agent, tmp_path: Path, name: str) -> None:
    ran = agent("import", SAMPLES / f"{name}.jsonl", "-o", "new.yaml")
    assert f"source: {name}\n" in (tmp_path / "new.yaml").read_text()
    assert "skipped" in ran.stderr
    agent("list", "new.yaml")


def test_import_of_folders(agent: Agent, tmp_path: Path) -> None:
    write(tmp_path / "p/one", OWN)
    write(tmp_path / "p/two", LEGACY)
    ran = agent("import", "p", "-o", "new.yaml")
    assert "2 problems" in ran.stdout


def test_schema_is_of_what_suites_hold(agent: Agent) -> None:
    suite = json.loads(agent("schema").stdout)
    entries = suite["properties"]["problems"]["items"]["oneOf"]
    names = {e["properties"].get("source", {}).get("const") for e in entries}
    assert {"livecodebench", "codeforces", None} <= names
    assert "limits" in json.loads(agent("schema", "--problem").stdout)["properties"]


def test_check_agrees_and_disagrees(agent: Agent, tmp_path: Path) -> None:
    text = OWN["problem.yaml"] + "references:\n- {file: fast.py}\n- {file: bad.py, expect: WA}\n"
    good = {
        **OWN,
        "problem.yaml": text,
        "fast.py": "print(2 * int(input()))\n",
        "bad.py": "print(4)\n",
    }
    write(tmp_path / "good/twice", good)
    ran = agent("check", "good")
    assert "2 as declared, 0 not" in ran.stdout
    write(tmp_path / "bad/twice", {**good, "bad.py": good["fast.py"]})
    report = json.loads(agent("check", "bad", "--json", code=1).stdout)
    assert not report["as_declared"]
    assert [r["agrees"] for r in report["references"]] == [True, False]


def test_check_of_a_slow_reference(agent: Agent, tmp_path: Path) -> None:
    slow = "n = int(input())\nwhile n > 500: pass\nprint(2 * n)\n"
    files = {**GENERATED, "references/slow.py": slow}
    files["problem.yaml"] = (
        OWN["problem.yaml"]
        + "answers: references/fast.py\ntests: [{name: large, args: [1000], seed: 7}]\n"
        + "references:\n- {file: references/fast.py}\n"
        + "- {file: references/slow.py, expect: TLE, passes_below: 5}\n"
    )
    write(tmp_path / "p/twice", files)
    assert "2 as declared" in agent("check", "p").stdout
    files["problem.yaml"] = files["problem.yaml"].replace("below: 5", "below: 6")
    write(tmp_path / "p/twice", files)
    assert "must pass" in agent("check", "p", code=1).stdout


def test_check_of_a_generator_that_is_not_seeded(agent: Agent, tmp_path: Path) -> None:
    files = {**GENERATED, "generator.py": "import time\nprint(time.time_ns())\n"}
    files["problem.yaml"] = (
        OWN["problem.yaml"]
        + "answers: references/fast.py\ntests: [{name: large, args: [1000], seed: 7}]\n"
        + "references: [{file: references/fast.py}]\n"
    )
    write(tmp_path / "p/twice", files)
    assert "prints something else each time" in agent("check", "p", code=1).stderr
