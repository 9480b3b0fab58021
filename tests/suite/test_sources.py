"""Data sets: each format's sample, damage of every kind, and pickles that bite."""

from __future__ import annotations

import base64
import json
import os
import pickle
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent.suite.errors import SuiteError
from agent.suite.load import Suite, load_suite
from agent.suite.problem import Checker, ProblemKind, Tokens
from agent.suite.sources import livecodebench
from agent.suite.sources.row_format import Skip, refuse_several_answers, tolerance
from agent.suite.sources.rows import parsed
from tests.data.make_sources import livecodebench as lcb_rows
from tests.data.make_sources import packed, stdin

SAMPLES = Path(__file__).parent.parent / "data" / "sources"
Load = Callable[..., Suite]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """Loads one data file as a suite, with a cache of its own."""
    monkeypatch.setenv("FRONTIER_AGENT_CACHE", str(tmp_path / "cache"))

    def loaded(source: str, path: Path | str, **filters: Any) -> Suite:
        entry = {"source": source, "path": str(path), **filters}
        suite = tmp_path / "suite.yaml"
        suite.write_text(json.dumps({"problems": [entry]}))
        return load_suite(suite, say=lambda text: None)

    return loaded


def reasons(suite: Suite) -> str:
    return "; ".join(f"{place}: {reason}" for place, reason in suite.skipped)


def lines(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_livecodebench(load: Load) -> None:
    suite = load("livecodebench", SAMPLES / "livecodebench.jsonl")
    stdio, function, plain = suite.problems
    assert [t.name for t in stdio.tests] == ["sample-001", "test-003", "test-002"]
    assert [t.input.read() for t in stdio.tests] == [b"2\n", b"5\n", b"300\n"]
    assert stdio.tests[2].answer.read() == b"600\n"
    assert (stdio.difficulty, stdio.limits.time_s) == ("easy", 6.0)
    assert function.kind is ProblemKind.FUNCTION
    assert function.function == "total"
    assert function.tests[0].input.read() == b"[1, 2]\n3"
    assert "class Solution" in function.starter_code
    assert plain.tests[1].input.read() == b"7\n"
    assert "several answers" in reasons(suite)
    assert "abc902_c (livecodebench.jsonl:4)" in reasons(suite)


def test_filters(load: Load) -> None:
    path = SAMPLES / "livecodebench.jsonl"
    assert [p.id for p in load("livecodebench", path, difficulty="hard").problems] == ["3999"]
    assert [p.id for p in load("livecodebench", path, after="2025-01-01").problems] == ["3999"]
    assert len(load("livecodebench", path, before="2025-01-01").problems) == 2
    assert [p.id for p in load("livecodebench", path, tags="leetcode").problems] == ["3999"]
    assert [p.id for p in load("livecodebench", path, regex="^abc9.._b").problems] == ["abc901_b"]
    assert [p.id for p in load("livecodebench", path, first=1).problems] == ["abc900_a"]
    drawn = [
        [p.id for p in load("livecodebench", path, sample=2, sample_seed=s).problems]
        for s in (1, 1, 2, 3, 4)
    ]
    assert drawn[0] == drawn[1]
    assert any(other != drawn[0] for other in drawn[2:])
    with pytest.raises(SuiteError, match="no problems"):
        load("livecodebench", path, ids=["nope"])


def test_codecontests(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FRONTIER_AGENT_TESTLIB", raising=False)
    suite = load("codecontests", SAMPLES / "codecontests.jsonl")
    assert "FRONTIER_AGENT_TESTLIB" in reasons(suite)
    monkeypatch.setenv("FRONTIER_AGENT_TESTLIB", "/somewhere/testlib.h")
    suite = load("codecontests", SAMPLES / "codecontests.jsonl")
    first, plus = suite.problems
    assert first.limits.time_s == 1.5
    assert first.limits.memory_bytes == 256_000_000
    assert first.difficulty == "medium"
    assert first.comparator == Tokens(float_abs=1e-6, float_rel=1e-6)
    assert [t.sample for t in first.tests] == [True, False, False]
    assert isinstance(plus.comparator, Checker)
    assert plus.comparator.kind == "testlib"
    assert b"testlib.h" in plus.comparator.files[0].read_bytes()
    assert plus.limits.time_s == 2.0
    assert "private tests are missing" in reasons(suite)
    assert "named file" in reasons(suite)


def test_apps_and_taco(load: Load) -> None:
    suite = load("apps", SAMPLES / "apps.jsonl")
    assert [(p.id, p.difficulty) for p in suite.problems] == [
        ("apps-1", "easy"),
        ("apps-2", "medium"),
    ]
    assert suite.problems[1].tests[0].input.read() == b"[1, 2]\n3"
    assert "wrapped in a list" in reasons(suite)
    assert "no tests" in reasons(suite)
    suite = load("taco", SAMPLES / "taco.jsonl")
    (taco,) = suite.problems
    assert taco.limits.time_s == 1.5
    assert taco.limits.memory_bytes == 256 << 20
    assert taco.tags == ("Math", "Greedy")
    assert taco.tests[1].input.read() == b"300\n1"
    assert "1 inputs but 0 outputs" in reasons(suite)


def test_codeforces(load: Load) -> None:
    suite = load("codeforces", SAMPLES / "codeforces.jsonl")
    plain, checked = suite.problems
    assert (plain.id, plain.difficulty, plain.extra["date"]) == ("cf-900A", "hard", "2024-01-01")
    assert [t.sample for t in plain.tests] == [False, True] or len(plain.tests) == 2
    assert isinstance(checked.comparator, Checker)
    assert checked.comparator.kind == "kattis"
    for reason in ("no checker", "incomplete", "interactive", "named file"):
        assert reason in reasons(suite)


def test_codeforces_checker_says_42_or_43(load: Load, tmp_path: Path) -> None:
    import subprocess
    import sys

    checked = load("codeforces", SAMPLES / "codeforces.jsonl").problems[1]
    assert isinstance(checked.comparator, Checker)
    (program,) = checked.comparator.files
    (tmp_path / "in").write_text("5\n")
    (tmp_path / "ans").write_text("6\n")
    for output, code in (("9\n", 42), ("4\n", 43), ("", 1)):
        ran = subprocess.run(
            [sys.executable, program, tmp_path / "in", tmp_path / "ans", tmp_path],
            input=output.encode(),
            capture_output=True,
            check=False,
        )
        assert ran.returncode == code, (output, ran.stderr)


def test_functions(load: Load) -> None:
    suite = load("functions", SAMPLES / "functions.jsonl")
    human, mbpp = suite.problems
    assert (human.id, human.function) == ("HumanEval-900", "total")
    assert [t.input.read() for t in human.tests] == [b"[]\n0", b"[1, -2]\n3"]
    assert human.tests[0].answer.read() == b'[1, "a"]'
    assert (mbpp.id, mbpp.function, len(mbpp.samples)) == ("mbpp-900", "add", 1)
    assert "f(literals) == literal" in reasons(suite)
    assert "tuple" in reasons(suite)


class Bomb:
    """Unpickling it would make a folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.path),)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_hostile_pickle_is_not_executed(load: Load, tmp_path: Path, protocol: int) -> None:
    target = tmp_path / "pwned"
    hostile = pickle.dumps(Bomb(target), protocol)
    blob = base64.b64encode(zlib.compress(hostile)).decode()
    rows = [{**lcb_rows()[0], "question_id": "evil", "private_test_cases": blob}, lcb_rows()[0]]
    suite = load("livecodebench", lines(tmp_path / "x.jsonl", rows))
    assert [p.id for p in suite.problems] == ["abc900_a"]
    assert "pickle of more than a text" in reasons(suite)
    assert not target.exists()
    pickle.loads(hostile)  # noqa: S301  # it does bite whoever unpickles it
    assert target.exists()


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("text", ["", "é\n\\u0041", "x" * 70_000, "\U0001f600"])
def test_a_pickled_text_is_read_as_pickle_wrote_it(protocol: int, text: str) -> None:
    assert livecodebench.pickled_text(pickle.dumps(text, protocol)) == text


def test_damaged_private_tests(load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(livecodebench, "MAX_TEST_BYTES", 1 << 20)
    base = lcb_rows()[0]
    whole = base64.b64decode(base["private_test_cases"])
    damaged = {
        "cut": base64.b64encode(whole[:-9]).decode(),
        "noise": base64.b64encode(b"noise").decode(),
        "letters": "@@@",
        "bomb": base64.b64encode(zlib.compress(bytes(4 << 20))).decode(),
        "number": base64.b64encode(zlib.compress(pickle.dumps(7))).decode(),
        "text": base64.b64encode(zlib.compress(b"[]")).decode(),
        "json": base64.b64encode(zlib.compress(pickle.dumps("[{"))).decode(),
        "empty": packed([]),
        "kind": packed([{"input": "1", "output": "1", "testtype": "functional"}]),
        "field": packed([{"input": "1"}]),
    }
    rows = [
        {**base, "question_id": name, "private_test_cases": blob} for name, blob in damaged.items()
    ]
    suite = load("livecodebench", lines(tmp_path / "x.jsonl", [*rows, base]))
    assert [p.id for p in suite.problems] == ["abc900_a"]
    assert [place.split(" ")[0] for place, _ in suite.skipped] == list(damaged)
    assert "cut off" in suite.skipped[0][1]
    assert "unpack to more than" in suite.skipped[3][1]


def test_damaged_lines_leave_the_others_unharmed(load: Load, tmp_path: Path) -> None:
    good = json.dumps(lcb_rows()[0]).encode()
    second = json.dumps({**lcb_rows()[0], "question_id": "last"}).encode()
    missing = {k: v for k, v in lcb_rows()[0].items() if k != "question_content"}
    path = tmp_path / "x.jsonl"
    path.write_bytes(
        b"\xef\xbb\xbf" + good + b"\r\n"  # BOM and CRLF
        b"\r\n"  # blank
        + good[:200] + b"\n"  # truncated
        b'{"question_id": "\xff"}\n'  # not UTF-8
        b"[1]\n"
        + json.dumps(missing).encode() + b"\n"
        + good + b"\n"  # the same id again
        + b"[" * 100_000 + b"\n"
        + second  # no final newline
    )  # fmt: skip
    suite = load("livecodebench", path)
    assert [p.id for p in suite.problems] == ["abc900_a", "last"]
    assert [place.rsplit(":")[-1].rstrip(")") for place, _ in suite.skipped] == list("345678")
    for (_, reason), expected in zip(
        suite.skipped,
        (
            "not JSON",
            "not UTF-8",
            "a JSON object",
            "'question_content'",
            "id of line 1",
            "not JSON",
        ),
        strict=True,
    ):
        assert expected in reason
    assert suite.problems[1].tests[0].input.read() == b"2\n"


def test_nothing_readable_is_an_error_that_says_why(load: Load, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("no json\n")
    with pytest.raises(SuiteError, match=r"no problems.*1 skipped.*x\.jsonl:1: not JSON"):
        load("livecodebench", path)


@pytest.mark.parametrize(
    "row",
    [
        {"a": 1, "big": "x" * 1000, "b": "big"},
        {"big": 'a quote " and more', "b": 1},
        {"a": 'a text with "big": "no field" in it', "big": "x"},
        {"big": ["x"], "b": "y"},
        {"a": "big", "b": "\\"},
        {"a": {"big": "x"}, "b": 1},
    ],
)
def test_a_heavy_field_is_left_out_and_nothing_else(row: dict[str, Any]) -> None:
    cut = dict(parsed(json.dumps(row).encode(), without="big"))
    if isinstance(row.get("big"), str) and cut["big"] == "":
        cut["big"] = row["big"]
    if isinstance(row.get("a", 0), dict):
        cut["a"] = row["a"]
    assert cut == row


def test_many_tests(load: Load, tmp_path: Path) -> None:
    many = packed(stdin(*((f"{i}\n", f"{2 * i}\n") for i in range(100_000))))
    row = {**lcb_rows()[0], "private_test_cases": many}
    problem = load("livecodebench", lines(tmp_path / "x.jsonl", [row])).problems[0]
    assert len(problem.tests) == 100_001
    assert problem.tests[-1].input.read() == b"99999\n"


def test_second_start_reads_the_index_alone(
    load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.jsonl"
    shutil.copy(SAMPLES / "livecodebench.jsonl", path)
    first = load("livecodebench", path)

    def refuse(*_: Any) -> None:
        raise AssertionError("the data file was read again")

    from agent.suite.sources.rows import DataFile

    monkeypatch.setattr(DataFile, "lines", refuse)
    monkeypatch.setattr(DataFile, "read", refuse)
    second = load("livecodebench", path)
    assert second.digest == first.digest
    assert [len(p.tests) for p in second.problems] == [len(p.tests) for p in first.problems]


def test_a_file_that_changes_is_noticed(load: Load, tmp_path: Path) -> None:
    path = lines(tmp_path / "x.jsonl", lcb_rows()[:1])
    suite = load("livecodebench", path)
    lines(path, [{**lcb_rows()[0], "question_id": "other"}])
    with pytest.raises(SuiteError, match="has changed"):
        suite.problems[0].tests[0].input.read()
    assert load("livecodebench", path).problems[0].id == "other"


def test_digest_does_not_depend_on_place_or_order(load: Load, tmp_path: Path) -> None:
    rows = lcb_rows()[:3]
    one = load("livecodebench", lines(tmp_path / "a.jsonl", rows))
    two = load("livecodebench", lines(tmp_path / "b.jsonl", rows[::-1]))
    assert {p.id: p.digest for p in one.problems} == {p.id: p.digest for p in two.problems}


def test_parquet_and_gzip_read_like_json_lines(load: Load, tmp_path: Path) -> None:
    import gzip

    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")

    rows = [json.loads(line) for line in (SAMPLES / "taco.jsonl").read_text().splitlines()]
    for row in rows:
        row.pop("x", None)
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "t.parquet")
    (tmp_path / "t.jsonl.gz").write_bytes(gzip.compress((SAMPLES / "taco.jsonl").read_bytes()))
    plain = load("taco", SAMPLES / "taco.jsonl").problems[0]
    for name in ("t.parquet", "t.jsonl.gz"):
        found = load("taco", tmp_path / name).problems[0]
        assert found.digest == plain.digest
    cut = (tmp_path / "t.parquet").read_bytes()[:-20]
    (tmp_path / "cut.parquet").write_bytes(cut)
    with pytest.raises(SuiteError, match="not a whole Parquet file"):
        load("taco", tmp_path / "cut.parquet")
    (tmp_path / "cut.gz").write_bytes((tmp_path / "t.jsonl.gz").read_bytes()[:-9])
    with pytest.raises(SuiteError, match="not a whole gzip file"):
        load("taco", tmp_path / "cut.gz")


def test_hub_names_without_a_network(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(SuiteError, match="local"):
        load("livecodebench", "hf://livecodebench/none/test.jsonl")


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("absolute or relative error at most $10^{-6}$", 1e-6),
        ("its error does not exceed 1e-9.", 1e-9),
        ("accepted if the difference is within 10^-4", 1e-4),
        ("a relative error of 0.001 is fine", 1e-3),
    ],
)
def test_tolerance_in_a_statement(statement: str, expected: float) -> None:
    assert tolerance(statement) == Tokens(float_abs=expected, float_rel=expected)


def test_no_tolerance_without_a_word_about_errors() -> None:
    assert tolerance("numbers up to 10^9, not 10^{-6}") == Tokens(float_abs=0.0)


@pytest.mark.parametrize(
    "statement",
    [
        "If there are multiple answers, print any of them.",
        "If there are several possible optimal ways, output any.",
        "You can return the answer in any order.",
        "Any of them will be accepted.",
    ],
)
def test_several_right_answers_are_refused(statement: str) -> None:
    with pytest.raises(Skip):
        refuse_several_answers(statement)


@pytest.mark.parametrize(
    "statement",
    ["Print the answer.", "You may remove any number of stones.", "There are many cities."],
)
def test_one_right_answer_is_taken(statement: str) -> None:
    refuse_several_answers(statement)
