"""HumanEval- and MBPP-style JSON Lines: a function, and asserts about its results.

Asserts are never executed: a submission in the same process could answer them all. Each
`assert f(ARGUMENTS) == RESULT` with literals becomes a test whose expected result stays outside;
a problem with any other kind of assert is left out.
"""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agent.suite.problem import ProblemKind, Tokens
from agent.suite.sources.dataset import Dataset
from agent.suite.sources.row_format import Case, Head, text
from agent.suite.sources.rows import Skip

OTHER = "an assert is not `f(literals) == literal`"


class Functions:
    name = "functions"
    version = 1
    heavy = ""

    def head(self, row: Mapping[str, Any]) -> Head:
        id_ = text(row, "task_id").replace("/", "-")
        human_eval = "entry_point" in row
        statement = text(row, "prompt") if "prompt" in row else text(row, "text")
        return Head(
            id=id_ if human_eval else f"mbpp-{id_}",
            title=id_ if human_eval else f"MBPP {id_}",
            statement=statement,
            source="HumanEval" if human_eval else "MBPP",
            kind=ProblemKind.FUNCTION,
            function=text(row, "entry_point") if human_eval else _called(_mbpp(row)[0]),
            starter_code=statement if human_eval else "",
            comparator=Tokens(),
        )

    def cases(self, row: Mapping[str, Any]) -> Sequence[Case]:
        if "entry_point" in row:
            return [_case(node, "candidate") for node in _human_eval(text(row, "test"))]
        nodes = _mbpp(row)
        name = _called(nodes[0])
        return [_case(node, name, sample=i == 0) for i, node in enumerate(nodes)]


def _parse(source: str) -> ast.Module:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Skip(f"its tests are not Python: {error}") from None


def _human_eval(source: str) -> Iterator[ast.expr]:
    """The conditions asserted in `def check(candidate)`."""
    checks = [
        node
        for node in _parse(source).body
        if isinstance(node, ast.FunctionDef) and node.name == "check"
    ]
    if len(checks) != 1:
        raise Skip("its tests define no function check(candidate)")
    for node in checks[0].body:
        if not isinstance(node, ast.Assert):
            raise Skip(OTHER)
        if not (isinstance(node.test, ast.Constant) and node.test.value is True):
            yield node.test


def _mbpp(row: Mapping[str, Any]) -> list[ast.expr]:
    lines = row.get("test_list")
    if not isinstance(lines, list) or not lines:
        raise Skip("field 'test_list' holds no asserts")
    if text(row, "test_setup_code", "").strip() or row.get("test_imports"):
        raise Skip("its asserts need code of their own")
    found = []
    for line in [*lines, *(row.get("challenge_test_list") or ())]:
        body = _parse(str(line)).body
        if len(body) != 1 or not isinstance(body[0], ast.Assert):
            raise Skip(OTHER)
        found.append(body[0].test)
    return found


def _called(condition: ast.expr) -> str:
    match condition:
        case ast.Compare(left=ast.Call(func=ast.Name(id=name))):
            return name
    raise Skip(OTHER)


def _case(condition: ast.expr, function: str, *, sample: bool = False) -> Case:
    match condition:
        case ast.Compare(
            left=ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]),
            ops=[ast.Eq()],
            comparators=[result],
        ) if name == function:
            given = [_json(_literal(argument), tuples=False) for argument in arguments]
            answer = _json(_literal(result), tuples=True)
            return Case("\n".join(given).encode(), answer.encode(), sample)
    raise Skip(OTHER)


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        raise Skip(OTHER) from None


def _json(value: Any, *, tuples: bool) -> str:
    """The value as JSON. A tuple may stand in a result (it is compared as a list), but a function
    that is given a list in its place is another test."""
    _refuse_other(value, tuples=tuples)
    return json.dumps(value)


def _refuse_other(value: Any, *, tuples: bool) -> None:
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise Skip("a dictionary of a test has keys that are not texts")
        for item in value.values():
            _refuse_other(item, tuples=tuples)
    elif isinstance(value, list) or (tuples and isinstance(value, tuple)):
        for item in value:
            _refuse_other(item, tuples=tuples)
    elif not isinstance(value, str | int | float | bool | None) or (
        isinstance(value, float) and not math.isfinite(value)
    ):
        raise Skip(f"a test holds a {type(value).__name__}, which JSON has not")


SOURCE = Dataset(Functions(), time_s=3.0)
