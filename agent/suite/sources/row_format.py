"""What a data set's format has to say: how a row reads as a problem."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from agent.suite.problem import ProblemKind, Tokens
from agent.suite.sources.rows import Skip


@dataclass(frozen=True, slots=True)
class Head:
    """A problem less its tests."""

    id: str
    title: str
    statement: str
    difficulty: str = ""  # easy | medium | hard, or ""
    tags: tuple[str, ...] = ()
    date: str = ""  # ISO 8601
    source: str = ""
    kind: str = ProblemKind.STDIN
    function: str = ""
    starter_code: str = ""
    time_s: float = 0.0  # 0: the source's default
    memory_bytes: int = 0
    comparator: Tokens = Tokens()
    checker: str = ""  # a checker's source, in place of the comparator
    checker_kind: str = "testlib"
    checker_language: str = "cpp"
    extra: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Head:
        given = dict(value)
        given["comparator"] = Tokens(**given["comparator"])
        given["tags"] = tuple(given["tags"])
        return cls(**given)


@dataclass(frozen=True, slots=True)
class Case:
    """One test as the row holds it."""

    input: bytes
    answer: bytes
    sample: bool = False


class RowFormat(Protocol):
    """One data set's way to write problems. Both methods raise Skip with the reason."""

    name: str
    version: int  # raised whenever the same row would read otherwise
    heavy: str  # the field with most of the bytes, which `head` does not look into; or ""

    def head(self, row: Mapping[str, Any]) -> Head: ...

    def cases(self, row: Mapping[str, Any]) -> Sequence[Case]: ...


def text(row: Mapping[str, Any], name: str, default: str | None = None) -> str:
    """A field that must be a text."""
    value = row.get(name, default)
    if value is None:
        if default is not None:
            return default
        raise Skip(f"field {name!r} is missing")
    if not isinstance(value, str | int | float):
        raise Skip(f"field {name!r} holds a {type(value).__name__}, not a text")
    return str(value)


def words(row: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = row.get(name)
    return tuple(str(word) for word in value) if isinstance(value, list) else ()


_MANY = re.compile(
    r"(?:multiple|several|more than one|many)\s+(?:\w+\s+){0,3}"
    r"(?:answers?|solutions?|outputs?|ways|possible|optimal|valid|correct|such)"
    r"[^.]{0,120}?(?:any|either|one of)"
    r"|(?:print|output|return|find|report|give|display)\s+any\b"
    r"(?!\s*(?:of the following|extra|more))"
    r"|any of them (?:is|will be|may be|are) (?:accepted|allowed|correct)"
    r"|(?:accept|return) any (?:valid|correct|possible)"
    r"|answers? in any order|return (?:the \w+ )?in any order|output (?:them )?in any order",
    re.IGNORECASE,
)
SEVERAL = "several answers are right, and the data has no checker"


def refuse_several_answers(statement: str) -> None:
    """Raises Skip when the statement accepts any of several answers: tokens cannot tell."""
    if _MANY.search(" ".join(statement.split())):
        raise Skip(SEVERAL)


_ERROR = re.compile(
    r"(?:error|precision|tolerance|accura\w+|differ\w*|within|deviat\w+)[^.]{0,160}?"
    r"(?:10\s*\^?\s*\{?\s*[-−–]\s*\{?\s*(\d{1,2})|1e-(\d{1,2})|(0\.0{1,9}1)\b)",
    re.IGNORECASE,
)


def tolerance(statement: str) -> Tokens:
    """The comparator that a statement asks for: `error at most 10^{-6}` allows as much.

    Numbers without a declared tolerance must be equal as numbers when they have a fraction
    (1.50 is 1.5), and byte by byte when they have none.
    """
    flat = " ".join(statement.replace("$", " ").replace("\\", " ").split())
    match = _ERROR.search(flat)
    if match is None:
        return Tokens(float_abs=0.0)
    exponent = match[1] or match[2]
    value = float(f"1e-{exponent}") if exponent else float(match[3])
    return Tokens(float_abs=value, float_rel=value)


def by_rating(rating: Any) -> str:
    """Codeforces' rating as a difficulty: below 1400 easy, below 2000 medium, else hard."""
    if not isinstance(rating, int | float) or rating <= 0:
        return ""
    return "easy" if rating < 1400 else "medium" if rating < 2000 else "hard"


def content(value: Any) -> bytes:
    """Input or answer of a test: a text, or its lines."""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        value = "\n".join(value)
    if not isinstance(value, str):
        raise Skip(f"a test holds a {type(value).__name__}, not a text")
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise Skip("a test holds half a surrogate pair") from None


def case_of(test: Any, *, sample: bool = False) -> Case:
    """A test written as `{input, output}`."""
    if not isinstance(test, dict) or "input" not in test or "output" not in test:
        raise Skip("a test is not an object with 'input' and 'output'")
    return Case(content(test["input"]), content(test["output"]), sample)


def pairs(value: Any, field_name: str, *, sample: bool = False) -> list[Case]:
    """Tests written as `{input: […], output: […]}`; nothing when the field is absent."""
    if value is None:
        return []
    if isinstance(value, list):
        return [case_of(test, sample=sample) for test in value]
    inputs = value.get("input") if isinstance(value, dict) else None
    outputs = value.get("output") if isinstance(value, dict) else None
    if not isinstance(inputs, list) or not isinstance(outputs, list):
        raise Skip(f"field {field_name!r} holds no lists 'input' and 'output'")
    if len(inputs) != len(outputs):
        raise Skip(f"field {field_name!r} has {len(inputs)} inputs but {len(outputs)} outputs")
    return [Case(content(i), content(o), sample) for i, o in zip(inputs, outputs, strict=True)]
