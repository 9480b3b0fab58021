"""Our own problem format."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.sandbox import SandboxError
from agent.suite.errors import SuiteError
from agent.suite.load import load_problem, load_suite
from agent.suite.own import read_own
from agent.suite.problem import Checker, ProblemKind, Tokens
from tests.suite.test_yaml import OWN, write

GENERATOR = "import sys\nprint(int(sys.argv[1]) * int(sys.argv[2]))\n"
REFERENCE = "print(2 * int(input()))\n"
GENERATED = {
    **OWN,
    "problem.yaml": OWN["problem.yaml"]
    + "answers: references/fast.py\n"
    + "tests:\n- {name: large, args: [1000], seed: 7}\n"
    + "references:\n- {file: references/fast.py, expect: AC}\n"
    + "- {file: references/slow.cpp, expect: [TLE, MLE], passes_below: 3}\n",
    "generator.py": GENERATOR,
    "references/fast.py": REFERENCE,
    "references/slow.cpp": "int main() {}\n",
}


def test_written_tests_come_in_order_of_input_length(tmp_path: Path) -> None:
    files = {**OWN, "tests/c.in": "1\n", "tests/c.ans": "2\n"}
    problem = load_problem(write(tmp_path / "twice", files))
    assert problem.id == "twice"
    assert [t.name for t in problem.tests] == ["a", "c", "b"]
    assert [t.name for t in problem.samples] == ["a"]
    assert problem.tests[2].input.read() == b"300\n"
    assert problem.limits.time_s == 1
    assert problem.comparator == Tokens()


def test_digest_is_of_content_alone(tmp_path: Path) -> None:
    one = load_problem(write(tmp_path / "x/twice", OWN)).digest
    assert load_problem(write(tmp_path / "y/other", OWN)).digest == one
    changed = {
        "tests/b.ans": "601\n",
        "statement.md": "Print thrice the number.",
        "problem.yaml": OWN["problem.yaml"].replace("time_s: 1", "time_s: 2"),
    }
    for i, (name, text) in enumerate(changed.items()):
        assert load_problem(write(tmp_path / f"z{i}", {**OWN, name: text})).digest != one


def test_checker_and_interactor(tmp_path: Path) -> None:
    check = OWN["problem.yaml"] + "checker: {kind: testlib, file: check.py, flags: [-x]}\n"
    problem = load_problem(
        write(tmp_path / "c", {**OWN, "problem.yaml": check, "check.py": "pass\n"})
    )
    assert isinstance(problem.comparator, Checker)
    assert problem.comparator.language == "python"
    assert problem.comparator.flags == ("-x",)
    talk = OWN["problem.yaml"] + "interactor: {file: talk.py}\n"
    problem = load_problem(
        write(tmp_path / "i", {**OWN, "problem.yaml": talk, "talk.py": "pass\n"})
    )
    assert problem.kind is ProblemKind.INTERACTIVE


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"problem.yaml": "title: x\nlimits: {time_s: 1}\n"}, "'difficulty' is missing"),
        ({"problem.yaml": OWN["problem.yaml"] + "tag: []"}, "yaml:5: tag: unknown key"),
        ({"problem.yaml": OWN["problem.yaml"].replace("easy", "esy")}, "did you mean 'easy'?"),
        ({"problem.yaml": OWN["problem.yaml"].replace("[a]", "[z]")}, "no test named 'z'"),
        ({"problem.yaml": OWN["problem.yaml"] + "tests: [{name: q}]"}, "generator.py"),
        ({"tests/c.in": "3\n"}, "has no c.ans beside it"),
        ({"tests/c.ans": "3\n"}, "has no c.in beside it"),
        ({"statement.md": " "}, "is empty"),
        (
            {"problem.yaml": OWN["problem.yaml"] + "references: [{file: nope.py}]"},
            "references[0].file: no file 'nope.py'",
        ),
        (
            {"problem.yaml": OWN["problem.yaml"] + "references: [{file: ../../etc/x.py}]"},
            "no file",
        ),
    ],
)
def test_damage_is_one_line(tmp_path: Path, files: dict[str, str], expected: str) -> None:
    with pytest.raises(SuiteError) as raised:
        load_problem(write(tmp_path / "p", {**OWN, **files}))
    assert expected in str(raised.value)


def test_a_damaged_problem_leaves_the_others_unharmed(tmp_path: Path) -> None:
    write(tmp_path / "all/good", OWN)
    write(tmp_path / "all/bad", {**OWN, "tests/c.in": "3\n"})
    suite = tmp_path / "s.yaml"
    suite.write_text("problems: [{path: all/*}]\n")
    loaded = load_suite(suite)
    assert [p.id for p in loaded.problems] == ["good"]
    assert loaded.skipped[0][0] == "bad"
    assert "c.ans" in loaded.skipped[0][1]
    suite.write_text("strict: true\nproblems: [{path: all/*}]\n")
    with pytest.raises(SuiteError, match=r"c\.ans"):
        load_suite(suite)


def test_limits_of_suite_and_entry(tmp_path: Path) -> None:
    write(tmp_path / "p", OWN)
    suite = tmp_path / "s.yaml"
    suite.write_text("problems: [{path: p}]\n")
    plain = load_suite(suite).problems[0]
    suite.write_text(
        "problems: [{path: p, limits: {time_factor: 2}}]\n"
        "limits: {time_factor: 3, memory_mb: 64, time_factors: {python: 4}}\n"
    )
    loaded = load_suite(suite)
    assert loaded.problems[0].limits.time_s == 6
    assert loaded.problems[0].limits.memory_bytes == 64 << 20
    assert loaded.problems[0].digest != plain.digest
    assert loaded.time_factors == {"python": 4}


def test_generated_tests_are_made_once_in_a_sandbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FRONTIER_AGENT_CACHE", str(tmp_path / "cache"))
    folder = write(tmp_path / "p", GENERATED)
    assert [plan.name for plan in read_own(folder).owed()] == ["large"]
    said: list[str] = []
    try:
        problem = load_problem(folder, say=said.append)
    except SandboxError as error:
        pytest.skip(f"no sandbox here: {error}")
    large = next(t for t in problem.tests if t.name == "large")
    assert (large.input.read(), large.answer.read()) == (b"7000\n", b"14000\n")
    assert problem.references[1].expected == ("TLE", "MLE")
    assert problem.references[1].passes_below == 3
    assert len(said) == 1
    again = load_problem(folder, say=said.append)
    assert len(said) == 1
    assert again.digest == problem.digest


def test_a_failing_generator_says_what_happened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FRONTIER_AGENT_CACHE", str(tmp_path / "cache"))
    folder = write(tmp_path / "p", {**GENERATED, "generator.py": "raise ValueError('no size')\n"})
    with pytest.raises((SuiteError, SandboxError)) as raised:
        load_problem(folder, say=lambda text: None)
    if isinstance(raised.value, SandboxError):
        pytest.skip(f"no sandbox here: {raised.value}")
    assert "generator.py" in str(raised.value)
    assert "no size" in str(raised.value)
