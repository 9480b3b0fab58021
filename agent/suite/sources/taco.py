"""TACO (Parquet or JSON Lines): APPS' tests with limits, tags and dates."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any

from agent.suite.digest import sha256
from agent.suite.problem import ProblemKind
from agent.suite.sources.apps import input_output, io_cases
from agent.suite.sources.dataset import Dataset
from agent.suite.sources.row_format import Case, Head, refuse_several_answers, text, tolerance

_DIFFICULTY = {
    "EASY": "easy",
    "MEDIUM": "medium",
    "MEDIUM_HARD": "medium",
    "HARD": "hard",
    "VERY_HARD": "hard",
}
_UNITS = {"kilobyte": 1 << 10, "megabyte": 1 << 20, "gigabyte": 1 << 30, "byte": 1}


class Taco:
    name = "taco"
    version = 1
    heavy = ""

    def head(self, row: Mapping[str, Any]) -> Head:
        statement = text(row, "question")
        refuse_several_answers(statement)
        function = str(input_output(row).get("fn_name") or "")
        where = text(row, "url", "") or text(row, "source", "TACO")
        # Rows have no id of their own; the statement is what makes a problem this one.
        id_ = f"taco-{sha256(statement.encode('utf-8', 'replace'))[:12]}"
        return Head(
            id=id_,
            title=text(row, "name", "") or id_,
            statement=statement,
            difficulty=_DIFFICULTY.get(text(row, "difficulty", ""), ""),
            tags=_list(row.get("tags")),
            date=text(row, "date", ""),
            source=where,
            kind=ProblemKind.FUNCTION if function else ProblemKind.STDIN,
            function=function,
            starter_code=text(row, "starter_code", "") if function else "",
            time_s=_quantity(text(row, "time_limit", ""), {"second": 1}),
            memory_bytes=int(_quantity(text(row, "memory_limit", ""), _UNITS)),
            comparator=tolerance(statement),
        )

    def cases(self, row: Mapping[str, Any]) -> Sequence[Case]:
        return io_cases(input_output(row))


def _list(value: Any) -> tuple[str, ...]:
    """A list, or the text of a Python list of texts, as the data has it."""
    if isinstance(value, str):
        try:
            value = ast.literal_eval(value) if value else []
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return ()
    return tuple(str(item) for item in value) if isinstance(value, list) else ()


def _quantity(value: str, units: Mapping[str, int]) -> float:
    """`2.0 seconds`, `256.0 megabytes`; 0 when absent or in another form."""
    match = re.fullmatch(r"\s*([\d.]+)\s*([a-z]+?)s?\s*", value)
    if match is None or match[2] not in units:
        return 0.0
    try:
        return float(match[1]) * units[match[2]]
    except ValueError:
        return 0.0


SOURCE = Dataset(Taco(), time_s=4.0)
