"""Function-call problems: right results, and tricks that do not help."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.judge.function import compare_result
from agent.suite.problem import Tokens
from tests.judge.conftest import SUM, Bench, function

ADD = function("add", (b"1\n2\n", b"3"), (b"10\n20\n", b"30"))
RIGHT = {
    "function": "def add(a, b): return a + b",
    "class": "class Solution:\n    def add(self, a: int, b: int) -> List[int]: return a + b",
    "prints too": "def add(a, b):\n    print('debug', 99)\n    return a + b",
    "main guard": "def add(a, b): return a + b\nif __name__ == '__main__': 1 / 0",
    "async leftovers": "import threading, time\n"
    "threading.Thread(target=time.sleep, args=(100,)).start()\ndef add(a, b): return a + b",
}
WRONG = {
    "claims to equal all": "class E(int):\n    def __eq__(self, o): return True\n"
    "def add(a, b): return E(0)",
    "true is not one": "def add(a, b): return a + b == 3 or 30",
    "a float is no integer": "def add(a, b): return float(a + b)",
    "walks frames": "import sys, gc\ndef add(a, b):\n    f = sys._getframe()\n    seen = []\n"
    "    while f: seen.append(dict(f.f_locals)); f = f.f_back\n"
    "    for o in seen:\n        for k, v in o.items():\n"
    "            if k in ('expected', 'answer', 'gt_out'): return v\n    return None",
    "writes a result itself": "import os\nos.write(3, b'3\\n')\nos._exit(0)",
    "exit handler": "import atexit, os\natexit.register(lambda: os._exit(0))\n"
    "def add(a, b): return 0",
    "leaves early": "import sys\ndef add(a, b): sys.exit(0)",
    "patched json": "import json\njson.dumps = lambda *a, **k: '3'\njson.loads = lambda *a: 3\n"
    "def add(a, b): return 0",
    "patched builtins": "import builtins\nbuiltins.type = lambda x: int\ndef add(a, b): return 0",
    "not JSON": "def add(a, b): return {1: 2}",
    "bytes": "def add(a, b): return b'3'",
    "recursive list": "def add(a, b):\n    x = []\n    x.append(x)\n    return x",
    "nothing": "def add(a, b): pass",
    "infinity": "def add(a, b): return float('inf')",
    "two results": "import os\ndef add(a, b):\n    os.write(3, b'x 3\\n')\n    return a + b",
}
DEAD = {
    "missing": "def sub(a, b): return a - b",
    "raises": "def add(a, b): raise ValueError",
    "import of what is not there": "import nothing_of_this_name\ndef add(a, b): return a + b",
}


@pytest.mark.parametrize("name", RIGHT)
def test_right(judge: Bench, name: str) -> None:
    assert judge(ADD, RIGHT[name]).verdict == "AC"


@pytest.mark.parametrize("name", WRONG)
def test_tricks(judge: Bench, name: str) -> None:
    assert judge(ADD, WRONG[name]).verdict in ("WA", "RE")


@pytest.mark.parametrize("name", DEAD)
def test_errors(judge: Bench, name: str) -> None:
    assert judge(ADD, DEAD[name]).verdict == "RE"


def test_a_name_of_the_prelude_is_no_solution(judge: Bench) -> None:
    assert judge(function("gcd", (b"4\n6\n", b"2")), "x = 1").verdict == "RE"


def test_only_python_answers_function_problems(judge: Bench) -> None:
    judgement = judge(ADD, "int main() {}", "cpp")
    assert judgement.verdict == "CE"
    assert "Python" in judgement.compile_output


def test_limits_hold(judge: Bench) -> None:
    quick = function("add", (b"1\n2\n", b"3"), time_s=0.3)
    assert judge(quick, "def add(a, b):\n    while True: pass").verdict == "TLE"
    assert judge(SUM, "print(sum(map(int, input().split())))").verdict == "AC"


@pytest.mark.parametrize(
    ("got", "expected", "right"),
    [
        ("1", "1", True),
        ("true", "1", False),
        ("1", "true", False),
        ("1.0", "1", False),
        ("1", "1.0", True),
        ("0.5", "5e-1", True),
        ("0.30000000000000004", "0.3", False),
        ('"1"', "1", False),
        ("[1, [2]]", "[1,[2]]", True),
        ("[1]", "[1, 2]", False),
        ('{"a": 1}', '{"a":1}', True),
        ('{"a": 1, "b": 2}', '{"a":1}', False),
        ("null", "null", True),
        ("null", "false", False),
        ("NaN", "1.5", False),
        ("Infinity", "1e999", False),
        ("[" * 100_000, "1", False),
        ("9" * 100_000, "1", False),
        ("1 2", "1", False),
        ("", "1", False),
    ],
)
def test_results(got: str, expected: str, right: bool) -> None:
    result = b"n " + got.encode()
    assert compare_result(result, "n", expected.encode(), Tokens()).right is right


def test_declared_tolerance() -> None:
    rule = Tokens(float_abs=1e-6)
    assert compare_result(b"n [0.30000000000000004]", "n", b"[0.3]", rule).right
    assert not compare_result(b"n [0.31]", "n", b"[0.3]", rule).right


@given(st.binary(max_size=60))
def test_any_bytes_from_the_sandbox(result: bytes) -> None:
    assert not compare_result(result, "nonce", b"[1]", Tokens()).right
    compare_result(b"nonce " + result, "nonce", b"[1]", Tokens())
