"""APPS (JSON Lines). Tests are a JSON text `{inputs: […], outputs: […], fn_name?}`.

Its own grader gives every test four seconds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from agent.suite.problem import ProblemKind
from agent.suite.sources.dataset import Dataset
from agent.suite.sources.row_format import (
    Case,
    Head,
    content,
    refuse_several_answers,
    text,
    tolerance,
)
from agent.suite.sources.rows import Skip

_DIFFICULTY = {"introductory": "easy", "interview": "medium", "competition": "hard"}


class Apps:
    name = "apps"
    version = 1
    heavy = ""

    def head(self, row: Mapping[str, Any]) -> Head:
        statement = text(row, "question")
        refuse_several_answers(statement)
        tests = input_output(row)
        id_ = text(row, "problem_id") if "problem_id" in row else text(row, "id")
        function = str(tests.get("fn_name") or "")
        return Head(
            id=f"apps-{id_}",
            title=f"APPS {id_}",
            statement=statement,
            difficulty=_DIFFICULTY.get(text(row, "difficulty", ""), ""),
            source=text(row, "url", "APPS"),
            kind=ProblemKind.FUNCTION if function else ProblemKind.STDIN,
            function=function,
            starter_code=text(row, "starter_code", "") if function else "",
            comparator=tolerance(statement),
        )

    def cases(self, row: Mapping[str, Any]) -> Sequence[Case]:
        return io_cases(input_output(row))


def input_output(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The field of that name as an object. Raises Skip when it is missing, empty or damaged."""
    value = row.get("input_output")
    if not value:
        raise Skip("it has no tests")
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise Skip(f"field 'input_output' is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise Skip("field 'input_output' holds no object")
    return value


def io_cases(tests: Mapping[str, Any]) -> list[Case]:
    """The cases of an `input_output` object, for both kinds of problems."""
    inputs, outputs = tests.get("inputs"), tests.get("outputs")
    if not isinstance(inputs, list) or not isinstance(outputs, list):
        raise Skip("field 'input_output' has no lists 'inputs' and 'outputs'")
    if len(inputs) != len(outputs):
        raise Skip(f"it has {len(inputs)} inputs but {len(outputs)} outputs")
    if not tests.get("fn_name"):
        return [Case(content(i), content(o)) for i, o in zip(inputs, outputs, strict=True)]
    return [_call(i, o) for i, o in zip(inputs, outputs, strict=True)]


def _call(arguments: Any, result: Any) -> Case:
    """A call. The data wraps some results in a list of one, and does not say which."""
    if not isinstance(arguments, list):
        raise Skip("a call's arguments are not a list")
    if isinstance(result, list) and len(result) == 1:
        raise Skip("a result may or may not be wrapped in a list: the data does not tell")
    lines = "\n".join(json.dumps(argument) for argument in arguments)
    return Case(lines.encode(), json.dumps(result).encode())


SOURCE = Dataset(Apps(), time_s=4.0)
