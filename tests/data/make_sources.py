"""Writes the small data files in `sources/`: python tests/data/make_sources.py.

They are written by hand here in the shape of each public data set; no row is copied from one.
"""

from __future__ import annotations

import base64
import json
import pickle
import zlib
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "sources"


def packed(tests: list[dict[str, str]]) -> str:
    """As LiveCodeBench packs its private tests."""
    return base64.b64encode(zlib.compress(pickle.dumps(json.dumps(tests)))).decode()


def stdin(*pairs: tuple[str, str]) -> list[dict[str, str]]:
    return [{"input": i, "output": o, "testtype": "stdin"} for i, o in pairs]


def livecodebench() -> list[dict[str, Any]]:
    base = {
        "question_title": "Twice",
        "question_content": "Print twice the number.",
        "platform": "atcoder",
        "question_id": "abc900_a",
        "contest_id": "abc900",
        "contest_date": "2024-09-01T00:00:00",
        "starter_code": "",
        "difficulty": "easy",
        "public_test_cases": json.dumps(stdin(("2\n", "4\n"))),
        "private_test_cases": packed(stdin(("300\n", "600\n"), ("5\n", "10\n"))),
        "metadata": "{}",
    }
    call = [{"input": "[1, 2]\n3", "output": "6", "testtype": "functional"}]
    function = {
        **base,
        "question_title": "Sum and add",
        "question_id": "3999",
        "platform": "leetcode",
        "contest_date": "2025-02-01T00:00:00",
        "difficulty": "hard",
        "starter_code": "class Solution:\n    def total(self, nums, extra):\n        ",
        "public_test_cases": json.dumps(call),
        "private_test_cases": packed(call),
        "metadata": json.dumps({"func_name": "total"}),
    }
    plain = {**base, "question_id": "abc901_b", "difficulty": "medium"}
    plain["private_test_cases"] = json.dumps(stdin(("7\n", "14\n")))
    several = {**base, "question_id": "abc902_c"}
    several["question_content"] = "If there are multiple answers, print any of them."
    return [base, function, plain, several]


def codecontests() -> list[dict[str, Any]]:
    base = {
        "name": "900_A. Twice",
        "description": "Print twice the number. Errors up to 10^{-6} are allowed.",
        "public_tests": {"input": ["2\n"], "output": ["4\n"]},
        "private_tests": {"input": ["300\n"], "output": ["600\n"]},
        "generated_tests": {"input": ["5\n"], "output": ["10\n"]},
        "source": 2,
        "difficulty": 7,
        "cf_rating": 1500,
        "cf_tags": ["math", ""],
        "time_limit": {"seconds": 1, "nanos": 500000000},
        "memory_limit_bytes": 256000000,
        "input_file": "",
        "output_file": "",
    }
    no_tests = {**base, "name": "901_B. None", "private_tests": None, "generated_tests": None}
    named = {**base, "name": "902_C. File", "input_file": "input.txt"}
    plus = {
        "source": "Codeforces",
        "id": "903_D",
        "title": "Any",
        "description": "Print any number that is larger.",
        "time_limit": 2000,
        "memory_limit": 256,
        "checker": '#include "testlib.h"\nint main(int c, char** v) {}\n',
        "test_cases": [{"input": "1\n", "output": "2\n"}],
    }
    return [base, no_tests, named, plus]


def apps() -> list[dict[str, Any]]:
    io = {"inputs": ["2\n", "300\n"], "outputs": ["4\n", "600\n"]}
    call = {"fn_name": "total", "inputs": [[[1, 2], 3]], "outputs": [6]}
    wrapped = {"fn_name": "total", "inputs": [[1]], "outputs": [[6]]}
    common = {"question": "Print twice the number.", "url": "https://example.org/1"}
    return [
        {**common, "id": 1, "difficulty": "introductory", "input_output": json.dumps(io)},
        {**common, "id": 2, "difficulty": "interview", "input_output": json.dumps(call)},
        {**common, "id": 3, "difficulty": "competition", "input_output": json.dumps(wrapped)},
        {**common, "id": 4, "difficulty": "competition", "input_output": ""},
    ]


def taco() -> list[dict[str, Any]]:
    io = {"inputs": ["2\n", ["300", "1"]], "outputs": ["4\n", "600\n"]}
    row = {
        "question": "Print twice the number.",
        "input_output": json.dumps(io),
        "difficulty": "MEDIUM_HARD",
        "tags": "['Math', 'Greedy']",
        "name": "Twice",
        "source": "codeforces",
        "url": "https://example.org/2",
        "time_limit": "1.5 seconds",
        "memory_limit": "256.0 megabytes",
        "date": "2020-01-02",
    }
    uneven = {**row, "question": "Print it thrice.", "name": "Thrice"}
    uneven["input_output"] = json.dumps({"inputs": ["1"], "outputs": []})
    return [row, uneven]


def codeforces() -> list[dict[str, Any]]:
    base = {
        "id": "900/A",
        "contest_id": "900",
        "contest_start": 1704067200,
        "time_limit": 2.0,
        "memory_limit": 256.0,
        "title": "Twice",
        "description": "Print twice the number.",
        "input_format": "One number.",
        "output_format": "One number.",
        "interaction_format": None,
        "note": None,
        "examples": [{"input": "2\n", "output": "4\n"}],
        "rating": 2100,
        "tags": ["math"],
        "official_tests": [{"input": "2\r\n", "output": "4"}, {"input": "300", "output": "600"}],
        "official_tests_complete": True,
        "input_mode": "stdio",
        "generated_checker": None,
        "executable": True,
    }
    checked = {**base, "id": "900/B", "title": "Larger", "output_format": "Print any larger one."}
    checked["generated_checker"] = (
        "import sys\n"
        "given, _, output = (open(p).read().split() for p in sys.argv[1:])\n"
        "print(1 if int(output[0]) > int(given[0]) else 0)\n"
    )
    unchecked = {**checked, "id": "900/C", "generated_checker": None}
    incomplete = {**base, "id": "900/D", "official_tests_complete": False}
    interactive = {**base, "id": "900/E", "interaction_format": "Ask."}
    named = {**base, "id": "900/F", "input_mode": "file"}
    return [base, checked, unchecked, incomplete, interactive, named]


def functions() -> list[dict[str, Any]]:
    check = (
        "METADATA = {}\n\n\ndef check(candidate):\n"
        "    assert candidate([1, -2], 3) == 2, 'message'\n"
        "    assert candidate([], 0) == (1, 'a')\n"
        "    assert True, 'this prints'\n"
    )
    close = "def check(candidate):\n    assert abs(candidate(1) - 1.5) < 1e-6\n"
    human = {
        "task_id": "HumanEval/900",
        "prompt": 'def total(xs, extra):\n    """Sum."""\n',
        "entry_point": "total",
        "canonical_solution": "    return sum(xs) + extra\n",
        "test": check,
    }
    mbpp = {
        "task_id": 900,
        "text": "Write a function to add two numbers.",
        "code": "def add(a, b): return a + b",
        "test_list": ["assert add(1, 2) == 3", "assert add(-1, 2) == 1"],
        "test_setup_code": "",
        "challenge_test_list": [],
    }
    return [
        human,
        {**human, "task_id": "HumanEval/901", "test": close},
        mbpp,
        {**mbpp, "task_id": 901, "test_list": ["assert add((1,), 2) == 3"]},
    ]


def main() -> None:
    HERE.mkdir(exist_ok=True)
    for make in (livecodebench, codecontests, apps, taco, codeforces, functions):
        lines = [json.dumps(row, ensure_ascii=False) for row in make()]
        (HERE / f"{make.__name__}.jsonl").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
