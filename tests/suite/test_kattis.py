"""ICPC/Kattis packages: hand-written ones here, real ones from the `cases` fixture."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.suite.errors import SuiteError
from agent.suite.kattis.flags import comparator_of
from agent.suite.load import load_problem, load_suite
from agent.suite.problem import Checker, Problem, ProblemKind, Tokens
from tests.suite.test_yaml import write

LEGACY = {
    "problem.yaml": "name: Twice\nvalidator_flags: float_tolerance 1e-6\nkeywords: math easy\n",
    ".timelimit": "2\n",
    "problem_statement/problem.en.tex": (
        "\\problemname{Ignored}\n% a comment\nPrint twice \\(50\\%\\) more.\n"
        "\\illustration{0.3}{img.png}{A \\emph{picture}}\n"
    ),
    "data/sample/1.in": "2\n",
    "data/sample/1.ans": "4\n",
    "data/secret/group/10.in": "300\n",
    "data/secret/group/10.ans": "600\n",
    "data/secret/group/note.desc": "a description",
    "data/secret/02.in": "5\n",
    "data/secret/02.ans": "10\n",
}
MODERN = {
    "problem.yaml": (
        "problem_format_version: 2023-07\nname: {en: Twice, sv: Dubbelt}\ntype: pass-fail\n"
        "limits: {time_limit: 1.5, memory: 256, output: 2,"
        " time_multipliers: {ac_to_time_limit: 3}}\nkeywords: [math]\n"
    ),
    "statement/problem.sv.md": "Skriv dubbla talet.\n",
    "statement/problem.en.md": "Print twice.\n\n{{nextsample}}\n",
    "data/secret/1.in": "2\n",
    "data/secret/1.ans": "4\n",
}


def load(folder: Path, files: dict[str, str]) -> Problem:
    return load_problem(write(folder / "twice", files))


def test_legacy(tmp_path: Path) -> None:
    problem = load(tmp_path, LEGACY)
    assert (problem.id, problem.title) == ("twice", "Twice")
    assert problem.statement == "Print twice \\(50\\%\\) more."
    assert [t.name for t in problem.tests] == ["sample/1", "secret/02", "secret/group/10"]
    assert [t.sample for t in problem.tests] == [True, False, False]
    assert problem.tests[2].group == "secret/group"
    assert problem.comparator == Tokens(1e-6, 1e-6, case_sensitive=False)
    assert problem.limits.time_s == 2
    assert not problem.limits.time_derived
    assert problem.limits.memory_bytes == 2048 << 20
    assert problem.tags == ("math", "easy")


def test_modern(tmp_path: Path) -> None:
    problem = load(tmp_path, MODERN)
    assert (problem.title, problem.statement) == ("Twice", "Print twice.")
    assert problem.limits.time_s == 1.5
    assert problem.limits.memory_bytes == 256 << 20
    assert problem.limits.output_bytes == 2 << 20
    assert problem.extra["time_multiplier"] == "3"


def test_where_the_time_limit_comes_from(tmp_path: Path) -> None:
    without = {k: v for k, v in LEGACY.items() if k != ".timelimit"}
    derived = load(tmp_path / "a", without)
    assert derived.limits.time_derived
    assert derived.extra["time_limit_from"] == "derived"
    assert derived.extra["time_multiplier"] == "5"
    ini = load(tmp_path / "b", {**without, "domjudge-problem.ini": "timelimit='4.5'\nname='x'\n"})
    assert (ini.limits.time_s, ini.extra["time_limit_from"]) == (4.5, "domjudge-problem.ini")
    yaml = LEGACY["problem.yaml"] + "limits: {time_limit: 7, time_multiplier: 1.5}\n"
    both = load(tmp_path / "c", {**LEGACY, "problem.yaml": yaml})
    assert (both.limits.time_s, both.extra["time_multiplier"]) == (7, "1.5")


def test_validator_flags_of_groups_are_inherited(tmp_path: Path) -> None:
    files = {
        **LEGACY,
        "problem.yaml": "name: x\nvalidation: custom\nvalidator_flags: common\n",
        "output_validators/check/check.cpp": "int main() {}\n",
        "output_validators/check/check.h": "\n",
        "data/testdata.yaml": "output_validator_flags: top\n",
        "data/secret/group/testdata.yaml": "output_validator_flags: deep 'two words'\n",
    }
    problem = load(tmp_path, files)
    assert isinstance(problem.comparator, Checker)
    assert problem.comparator.kind == "kattis"
    assert problem.comparator.flags == ("common",)
    assert {p.name for p in problem.comparator.files} == {"check.cpp", "check.h"}
    assert [t.flags for t in problem.tests] == [("top",), ("top",), ("deep", "two words")]


def test_modern_validator_interactive_and_test_settings(tmp_path: Path) -> None:
    files = {
        **MODERN,
        "problem.yaml": MODERN["problem.yaml"].replace("pass-fail", "[pass-fail, interactive]"),
        "output_validator/main.py": "import helper\n",
        "output_validator/helper.py": "\n",
        "data/secret/test_group.yaml": "output_validator_args: [a, b]\n",
        "data/secret/2.in": "3\n",
        "data/secret/2.yaml": "output_validator_args: [c]\n",
    }
    problem = load(tmp_path, files)
    assert problem.kind is ProblemKind.INTERACTIVE
    assert isinstance(problem.comparator, Checker)
    assert problem.comparator.language == "python"
    assert [t.flags for t in problem.tests] == [("a", "b"), ("c",)]
    assert problem.tests[1].answer.read() == b""


def test_submissions(tmp_path: Path) -> None:
    files = {
        **LEGACY,
        "submissions/accepted/fast.py": "print(2 * int(input()))\n",
        "submissions/accepted/old.py": "#!/usr/bin/env python2\nprint 4\n",
        "submissions/accepted/README": "not a program",
        "submissions/accepted/two/main.cpp": '#include "a.h"\nint main() {}\n',
        "submissions/accepted/two/a.h": "\n",
        "submissions/rejected/any.cpp": "int main() {}\n",
        "submissions/time_limit/slow.java": "// @EXPECTED_RESULTS@: TIMELIMIT, CORRECT\n",
        "submissions/mixed/what.py": "# @EXPECTED_RESULTS@: RUN-ERROR\n",
        "submissions/mixed/unknown.py": "pass\n",
        "submissions/wa/binary.py": "\0\0",
        "submissions/run_time_error/a.c": "int main() {}\n",
        "submissions/run_time_error/b.c": "int main() {}\n",
        "submissions/submissions.yaml": "run_time_error/b.*: {permitted: [AC, WA]}\n",
    }
    folder = write(tmp_path / "twice", files)
    (folder / "submissions/accepted/dangling.py").symlink_to("nowhere.py")
    (tmp_path.parent / "outside.py").write_text("pass\n")
    (folder / "submissions/accepted/outside.py").symlink_to(tmp_path.parent / "outside.py")
    found = {r.name: r for r in load_problem(folder).references}
    assert set(found) == {
        "accepted/fast.py",
        "accepted/old.py",
        "accepted/two",
        "rejected/any.cpp",
        "time_limit/slow.java",
        "mixed/what.py",
        "run_time_error/a.c",
        "run_time_error/b.c",
    }
    assert found["accepted/fast.py"].expected == ("AC",)
    assert found["accepted/old.py"].language == "python2"
    assert {p.name for p in found["accepted/two"].files} == {"main.cpp", "a.h"}
    assert set(found["rejected/any.cpp"].expected) >= {"WA", "TLE", "RE"}
    assert found["time_limit/slow.java"].expected == ("TLE", "ILE", "AC")
    assert found["mixed/what.py"].expected == ("RE", "MLE")
    assert found["run_time_error/b.c"].expected == ("AC", "WA", "OLE")


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"problem.yaml": "problem_format_version: 2031-01\n"}, "not a known format"),
        ({"problem.yaml": "validation: custom\n"}, "no output validator is there"),
        ({"problem.yaml": "validation: custom interactive\n"}, "no output validator is there"),
        ({"problem.yaml": "validation: custom score\n"}, "scores"),
        ({"problem.yaml": "validation: custom multipass\n"}, "multi-pass"),
        ({"problem.yaml": "validation: custm\n"}, "'custm' is not a known kind"),
        ({"problem.yaml": "validator_flags: float_tolerance\n"}, "needs a tolerance"),
        ({"problem.yaml": "validator_flags: flot_tolerance 1\n"}, "is not a flag"),
        (
            {"problem.yaml": "limits: {memory: lots}\n"},
            "yaml:1: limits.memory: expected a positive",
        ),
        ({"problem.yaml": "limits: [1]\n"}, "limits: expected a mapping"),
        ({"problem.yaml": "- x\n"}, "expected a mapping"),
        ({".timelimit": "soon\n"}, ".timelimit:1: expected a time limit"),
        ({"data/secret/03.in": "1\n"}, "has no 03.ans beside it"),
        ({"data/secret/03.ans": "1\n"}, "has no 03.in beside it"),
        ({"data/secret/testdata.yaml": "a: [\n"}, "testdata.yaml:2: not YAML"),
        ({"data/secret/02.yaml": "args: [x]\n"}, "cannot be given arguments"),
        ({"include/cpp/grader.h": "\n"}, "files added to submissions"),
        (
            {
                "problem.yaml": "validation: custom\n",
                "output_validators/a.py": "\n",
                "output_validators/b.py": "\n",
            },
            "several output validators",
        ),
        (
            {
                "problem.yaml": "name: x\n",
                "data/secret/group/testdata.yaml": "output_validator_flags: case_sensitive\n",
            },
            "compared in different ways",
        ),
    ],
)
def test_what_cannot_be_judged_is_refused(
    tmp_path: Path, files: dict[str, str], expected: str
) -> None:
    with pytest.raises(SuiteError) as raised:
        load(tmp_path, {**LEGACY, **files})
    assert expected in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_package_with_samples_alone_is_not_attempted(tmp_path: Path) -> None:
    problem = load(tmp_path, {k: v for k, v in LEGACY.items() if "secret" not in k})
    assert len(problem.tests) == 1
    with pytest.raises(SuiteError, match="still to be generated"):
        load_suite(tmp_path / "twice")


def test_links_that_lead_out_are_refused(tmp_path: Path) -> None:
    folder = write(tmp_path / "contest" / "twice", LEGACY)
    (folder / "data/secret/evil.in").symlink_to("/etc/hostname")
    (folder / "data/secret/evil.ans").write_text("x")
    with pytest.raises(SuiteError, match="leads out of the package"):
        load_problem(folder)


def test_links_between_packages_of_a_contest_are_followed(tmp_path: Path) -> None:
    folder = write(tmp_path / "contest" / "twice", LEGACY)
    write(tmp_path / "contest" / "shared", {"big.in": "9\n"})
    (folder / "data/secret/big.in").symlink_to("../../../shared/big.in")
    (folder / "data/secret/big.ans").write_text("18\n")
    found = {t.name: t for t in load_problem(folder).tests}
    assert found["secret/big"].input.read() == b"9\n"


def test_a_package_without_text_can_be_judged_but_not_attempted(tmp_path: Path) -> None:
    files = {k: v for k, v in LEGACY.items() if not k.startswith("problem_statement")}
    folder = write(tmp_path / "twice", files)
    assert load_problem(folder).statement == ""
    assert load_suite(folder, for_attempts=False).problems
    with pytest.raises(SuiteError, match="statement is not there as text"):
        load_suite(folder)


def test_flags_of_the_default_validator() -> None:
    assert comparator_of(()) == Tokens(case_sensitive=False)
    flags = ["case_sensitive", "space_change_sensitive", "float_absolute_tolerance", "0.5"]
    assert comparator_of(flags) == Tokens(float_abs=0.5, space_sensitive=True)
    assert comparator_of(("float_relative_tolerance", "1e-3")).float_abs is None


def test_real_packages(cases: Path) -> None:
    refused, loaded = {}, {}
    for folder in sorted(p for p in cases.iterdir() if (p / "problem.yaml").is_file()):
        try:
            loaded[folder.name] = load_problem(folder)
        except SuiteError as error:
            refused[folder.name] = str(error)
    assert all("no output validator is there" in reason for reason in refused.values())
    assert "molecules" in refused
    assert len(loaded) >= 24
    assert loaded["oddecho"].title == "Odd Echo"
    assert len(loaded["xortris"].tests) == 185
    assert loaded["foodprocessor"].comparator == Tokens(float_rel=1e-5, case_sensitive=False)
    assert all(problem.statement for problem in loaded.values())
