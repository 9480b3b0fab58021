"""Validators, testlib checkers and interaction: real programs in sandboxes of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.errors import UsageError
from agent.suite.problem import Checker, Problem, ProblemKind
from tests.judge.conftest import Bench, problem

FACTORS = """
import sys
n = int(open(sys.argv[1]).read())
try:
    a, b = map(int, sys.stdin.read().split())
except ValueError:
    open(sys.argv[3] + "/judgemessage.txt", "w").write("not two numbers")
    sys.exit(43)
sys.exit(42 if a * b == n and "strict" in sys.argv[4:] and a > 1 < b else 43)
"""

GUESS = """
import sys
n = int(open(sys.argv[1]).read())
for _ in range(30):
    line = sys.stdin.readline()
    if not line:
        sys.exit(43)
    try:
        guess = int(line)
    except ValueError:
        sys.exit(43)
    if guess == n:
        print("right", flush=True)
        sys.exit(42)
    print("higher" if guess < n else "lower", flush=True)
sys.exit(43)
"""

SEARCH = """
low, high = 1, 1000
while True:
    middle = (low + high) // 2
    print(middle, flush=True)
    said = input()
    if said == "right": break
    if said == "higher": low = middle + 1
    else: high = middle - 1
"""


def checked(
    folder: Path, source: str, *, kind: str = "kattis", interactive: bool = False
) -> Problem:
    path = folder / ("checker.cpp" if "#include" in source else "checker.py")
    path.write_text(source)
    language = "cpp" if path.suffix == ".cpp" else "python"
    checker = Checker(kind, (path,), language, flags=("strict",) if kind == "kattis" else ())
    return problem(
        (b"15\n", b"3 5\n"),
        (b"77\n", b"7 11\n"),
        comparator=checker,
        kind=ProblemKind.INTERACTIVE if interactive else ProblemKind.STDIN,
        name=f"checked{abs(hash(source))}",
    )


FACTORIZE = "n = int(input())\na = next(a for a in range(2, n) if n % a == 0)\nprint(n // a, a)"


def test_any_valid_answer_is_right(judge: Bench, tmp_path: Path) -> None:
    found = checked(tmp_path, FACTORS)
    assert judge(found, FACTORIZE).verdict == "AC"
    assert judge(found, "print(1, input())").verdict == "WA"
    wrong = judge(found, "print('x')")
    assert (wrong.verdict, wrong.tests[0].message) == ("WA", "not two numbers")
    assert judge(found, "print(3, 5)\nexit(42)").verdict == "RE"


@pytest.mark.parametrize(
    "source",
    [
        "import sys\nsys.exit(0)",
        "1 / 0",
        "int main( {",
        "import os\nos.abort()",
        "x = [0] * 10**10",
    ],
)
def test_a_failing_checker_is_our_failure(judge: Bench, tmp_path: Path, source: str) -> None:
    judgement = judge(checked(tmp_path, source), FACTORIZE)
    assert judgement.verdict == "IE"
    assert judgement.outcome is None
    assert "validator" in judgement.error or "checker" in judgement.error


def test_a_hanging_checker_is_our_failure(
    judge: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    from agent.judge import checkers

    monkeypatch.setattr(checkers, "LIMITS", replace(checkers.LIMITS, cpu_s=0.5, idle_s=1.0))
    for source in ("while True: pass", "import time\ntime.sleep(100)"):
        assert judge(checked(tmp_path, source), FACTORIZE).verdict == "IE"


def test_checkers_cannot_be_reached_by_submissions(judge: Bench, tmp_path: Path) -> None:
    source = "import os\nprint(os.listdir('/work'), *os.listdir('/tmp'))"
    judgement = judge(checked(tmp_path, FACTORS), source)
    assert judgement.verdict == "WA"


TESTLIB = '#include "testlib.h"\nint main(int c, char** v) { return check(c, v); }\n'
HEADER = """
#pragma once
#include <fstream>
inline int check(int, char** v) {
    std::ifstream in(v[1]), out(v[2]); long long n, a = 0, b = 0; in >> n;
    if (!(out >> a >> b)) return 2;
    if (a == 13) return 3;
    return a * b == n ? 0 : 1;
}
"""


def test_testlib_exit_codes(judge: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = checked(tmp_path, TESTLIB, kind="testlib")
    monkeypatch.delenv("FRONTIER_AGENT_TESTLIB", raising=False)
    with pytest.raises(UsageError, match="FRONTIER_AGENT_TESTLIB"):
        judge(found, FACTORIZE)
    (tmp_path / "testlib.h").write_text(HEADER)
    monkeypatch.setenv("FRONTIER_AGENT_TESTLIB", str(tmp_path / "testlib.h"))
    assert judge(found, FACTORIZE).verdict == "AC"
    assert judge(found, "print(2, 2)").verdict == "WA"
    assert judge(found, "print('x')").verdict == "WA"
    assert judge(found, "print(13, 13)").verdict == "IE"


INTERACTIVE = {
    "binary search": (SEARCH, "AC"),
    "gives up": ("print(1, flush=True)", "WA"),
    "does not flush, then exits": ("print(1)\nprint(2)", "WA"),
    "waits for ever": ("input()", "ILE"),
    "floods and never reads": ("while True: print(1)", "WA"),
    "rejected, then spins": ("print('x', flush=True)\nwhile True: pass", "WA"),
    "rejected, then crashes": ("print('x', flush=True)\ninput()\n1 / 0", "WA"),
    "rejected, then sleeps": ("print('x', flush=True)\nimport time\ntime.sleep(100)", "WA"),
    "crashes first": ("1 / 0", "RE"),
    "accepted, then crashes": (SEARCH + "1 / 0", "RE"),
    "accepted, then spins": (SEARCH + "while True: pass", "TLE"),
    "spins": ("while True: pass", "TLE"),
    "closes its output": ("import os, time\nos.close(1)\ntime.sleep(100)", "ILE"),
    "says the validator's code": ("import os\nos._exit(42)", "RE"),
}


@pytest.mark.parametrize("name", INTERACTIVE)
def test_interaction(judge: Bench, tmp_path: Path, name: str) -> None:
    source, verdict = INTERACTIVE[name]
    found = checked(tmp_path, GUESS, interactive=True)
    judgement = judge(found, source)
    assert (judgement.verdict, judgement.error) == (verdict, "")


def test_an_interactor_that_crashes_is_our_failure(judge: Bench, tmp_path: Path) -> None:
    found = checked(tmp_path, "input()\n1 / 0", interactive=True)
    assert judge(found, SEARCH).verdict == "IE"


def test_both_talk_much(judge: Bench, tmp_path: Path) -> None:
    """Each writes megabytes before it reads: pipes fill, nobody may block for good."""
    talker = (
        "import sys, threading\nbig = 'x' * (1 << 21)\n"
        "t = threading.Thread(target=lambda: print(big, flush=True))\nt.start()\n"
        "line = sys.stdin.readline()\nt.join()\n"
    )
    found = checked(
        tmp_path, talker + "sys.exit(42 if len(line) > 1 << 21 else 43)", interactive=True
    )
    assert judge(found, talker).verdict == "AC"
