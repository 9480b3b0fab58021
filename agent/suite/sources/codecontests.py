"""CodeContests (DeepMind) and CodeContests+ (with checkers): Parquet or JSON Lines.

Tests are `public_tests`, `private_tests` and `generated_tests`, each `{input: […], output: […]}`;
CodeContests+ has `test_cases: [{input, output}, …]` and a testlib `checker` instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agent.suite.sources.dataset import Dataset
from agent.suite.sources.row_format import (
    Case,
    Head,
    by_rating,
    case_of,
    pairs,
    refuse_several_answers,
    text,
    tolerance,
    words,
)
from agent.suite.sources.rows import Skip

_ORIGINS = ("unknown", "CodeChef", "Codeforces", "HackerEarth", "CodeJam", "AtCoder", "Aizu")
_HIDDEN = ("private_tests", "generated_tests")


class CodeContests:
    name = "codecontests"
    version = 1
    heavy = ""

    def head(self, row: Mapping[str, Any]) -> Head:
        statement = text(row, "description")
        checker = text(row, "checker", "")
        for field in ("input_file", "output_file"):
            if text(row, field, ""):
                raise Skip("it reads or writes a named file instead of stdin and stdout")
        if "<image>" in statement:
            raise Skip("its statement needs a picture")
        if not checker:
            refuse_several_answers(statement)
        title = text(row, "title", text(row, "name", ""))
        origin = row.get("source")
        if isinstance(origin, int):
            origin = _ORIGINS[origin] if 0 <= origin < len(_ORIGINS) else "unknown"
        return Head(
            id=text(row, "id") if "id" in row else text(row, "name"),
            title=title or text(row, "id"),
            statement=statement,
            difficulty=by_rating(row.get("cf_rating")),
            tags=tuple(tag for tag in words(row, "cf_tags") if tag),
            source=f"CodeContests ({origin or 'unknown'})",
            time_s=_seconds(row.get("time_limit")),
            memory_bytes=_memory(row),
            comparator=tolerance(statement),
            checker=checker,
        )

    def cases(self, row: Mapping[str, Any]) -> Sequence[Case]:
        if isinstance(row.get("test_cases"), list):
            return [case_of(test) for test in row["test_cases"]]
        hidden = [case for name in _HIDDEN for case in pairs(row.get(name), name)]
        if not hidden:
            raise Skip("its private tests are missing")
        return [*pairs(row.get("public_tests"), "public_tests", sample=True), *hidden]


def _seconds(value: Any) -> float:
    """`{seconds, nanos}`, or milliseconds as CodeContests+ writes them; 0 when absent."""
    if isinstance(value, dict):
        return float(value.get("seconds") or 0) + float(value.get("nanos") or 0) / 1e9
    if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
        return float(value) / 1000
    return 0.0


def _memory(row: Mapping[str, Any]) -> int:
    exact, megabytes = row.get("memory_limit_bytes"), row.get("memory_limit")
    if isinstance(exact, int) and exact > 0:
        return exact
    return int(megabytes * (1 << 20)) if isinstance(megabytes, int | float) and megabytes > 0 else 0


SOURCE = Dataset(CodeContests(), time_s=10.0)
