"""`agent judge` as a user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

TWINS = ROOT / "tasks" / "problems" / "closest-twins"
FAST = TWINS / "references" / "fast.py"


def agent(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "agent.cli.main", "judge", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_json_is_one_object_and_nothing_else() -> None:
    done = agent(FAST, "-p", TWINS, "--sandbox", "bubblewrap", "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert (found["verdict"], found["outcome"]) == ("AC", "solved")
    assert set(found["coverage"]) == {"1", "2", "3", "4", "5", "6", "full"}
    assert {"name", "verdict", "cpu_s", "wall_s", "peak_bytes"} <= set(found["tests"][0])


def test_table_and_exit_code() -> None:
    done = agent(TWINS / "references" / "wrong_first.py", "-p", TWINS, "--sandbox", "bubblewrap")
    assert done.returncode == 1
    assert "WA  correctness_failure" in done.stdout
    assert "--all-tests" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "needs FILE and --problem"),
        (["nothing.py", "-p", TWINS], "nothing.py: No such file"),
        ([FAST, "-p", "nothing"], "no such problem"),
        ([FAST, "-p", TWINS, "-l", "pyton"], "did you mean 'python'?"),
        ([FAST, "-p", TWINS, "--sandbox", "jail"], "unknown sandbox 'jail'"),
        ([FAST, "-p", TWINS, "--languages", "nothing.yaml"], "nothing.yaml: cannot be read"),
        ([ROOT / "LICENSE", "-p", TWINS], "cannot tell its language"),
    ],
)
def test_bad_input_is_one_line(arguments: list[object], told: str) -> None:
    done = agent(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("content", [b"", b"\x7fELF\0\1\2" * 99, b"#" * (10 << 20)])
def test_no_source_is_accepted_by_accident(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "source.cpp"
    path.write_bytes(content)
    done = agent(path, "-p", TWINS, "--sandbox", "bubblewrap", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["verdict"] == "CE"


def test_a_problem_without_answer_is_refused(tmp_path: Path) -> None:
    (tmp_path / "p" / "tests").mkdir(parents=True)
    (tmp_path / "p" / "problem.yaml").write_text("title: x\nlimits: {time_s: 1}\n")
    (tmp_path / "p" / "statement.md").write_text("x")
    (tmp_path / "p" / "tests" / "1.in").write_text("1\n")
    done = agent(FAST, "-p", tmp_path / "p")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("agent: ")


def test_a_language_is_a_yaml_entry(tmp_path: Path) -> None:
    """AWK, which we do not ship: one entry, no code."""
    (tmp_path / "awk.yaml").write_text(
        "awk:\n  title: AWK\n  extensions: [.awk]\n  file: solution.awk\n  run: awk -f {main}\n"
        "  version: awk -W version\n"
    )
    (tmp_path / "a.awk").write_text('BEGIN { print "no" }')
    done = agent(
        tmp_path / "a.awk",
        *("-p", TWINS, "--languages", tmp_path / "awk.yaml", "--sandbox", "bubblewrap", "--json"),
    )
    assert json.loads(done.stdout)["verdict"] == "WA", done.stderr


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("awk: {file: a.awk}", "awk.run: Field required"),
        ("awk: {file: a/b, run: x}", "awk.file"),
        ("awk: {file: a, run: x, compil: y}", "awk.compil: Extra inputs"),
        ("- x", "expected a mapping"),
        ("a: [", "not YAML"),
    ],
)
def test_wrong_languages_files(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "l.yaml"
    path.write_text(text)
    done = agent(FAST, "-p", TWINS, "--languages", path)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
    assert str(path) in done.stderr
