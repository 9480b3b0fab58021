"""LiveCodeBench `code_generation_lite` (JSON Lines, v1 to v6).

Private tests are base64 of zlib of a *pickle* of a JSON text. Nothing is ever unpickled: the pickle
is read as a list of opcodes, and only the few that make up one text are allowed.
Source of the limits: the benchmark's own grader gives every test six seconds.
"""

from __future__ import annotations

import base64
import binascii
import json
import pickletools
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from agent.suite.problem import ProblemKind
from agent.suite.sources.dataset import Dataset
from agent.suite.sources.row_format import (
    Case,
    Head,
    case_of,
    refuse_several_answers,
    text,
    tolerance,
)
from agent.suite.sources.rows import Skip

MAX_TEST_BYTES = 512 << 20  # of one problem, unpacked; beyond it, it is a bomb
_TEXT_OPCODES = {"UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8"}
_FRAMING = {"PROTO", "FRAME", "MEMOIZE", "PUT", "BINPUT", "LONG_BINPUT", "STOP"}


class LiveCodeBench:
    name = "livecodebench"
    version = 1
    heavy = "private_test_cases"

    def head(self, row: Mapping[str, Any]) -> Head:
        statement = text(row, "question_content")
        platform = text(row, "platform", "")
        starter = text(row, "starter_code", "")
        function = self._function(row)
        refuse_several_answers(statement)
        for field in ("public_test_cases", "private_test_cases"):
            if field not in row:
                raise Skip(f"field {field!r} is missing")
        return Head(
            id=text(row, "question_id"),
            title=text(row, "question_title", text(row, "question_id")),
            statement=statement,
            difficulty=text(row, "difficulty", ""),
            tags=(platform,) if platform else (),
            date=text(row, "contest_date", ""),
            source=f"LiveCodeBench ({platform or 'platform unknown'})",
            kind=ProblemKind.FUNCTION if function else ProblemKind.STDIN,
            function=function,
            starter_code=starter,
            comparator=tolerance(statement),
        )

    def cases(self, row: Mapping[str, Any]) -> Sequence[Case]:
        public = _tests(row["public_test_cases"], "public_test_cases")
        hidden = _private(row["private_test_cases"])
        if not hidden:
            raise Skip("its private tests are missing")
        functional = bool(self._function(row))
        return [
            *(_case(t, functional, sample=True) for t in public),
            *(_case(t, functional, sample=False) for t in hidden),
        ]

    def _function(self, row: Mapping[str, Any]) -> str:
        """`func_name` of the metadata when the problem is of the function-call kind, else ""."""
        metadata = row.get("metadata") or "{}"
        try:
            known = json.loads(metadata) if isinstance(metadata, str) else metadata
        except ValueError:
            raise Skip("field 'metadata' is not JSON") from None
        name = known.get("func_name") if isinstance(known, dict) else None
        if name is None and text(row, "starter_code", "").strip():
            raise Skip("it has starter code, but the metadata names no function")
        return str(name or "")


def _case(test: Any, functional: bool, *, sample: bool) -> Case:
    if not isinstance(test, dict) or not all(
        isinstance(test.get(key), str) for key in ("input", "output")
    ):
        raise Skip("a test is not an object with the texts 'input' and 'output'")
    if (test.get("testtype", "stdin") == "functional") != functional:
        raise Skip("its tests and its metadata disagree on whether it is a function")
    return case_of(test, sample=sample)


def _tests(value: Any, field: str) -> list[Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise Skip(f"field {field!r} is not JSON: {error}") from None
    if not isinstance(value, list):
        raise Skip(f"field {field!r} holds no list of tests")
    return value


def _private(value: Any) -> list[Any]:
    if not isinstance(value, str) or value.lstrip()[:1] == "[":
        return _tests(value, "private_test_cases")
    return _tests(pickled_text(unpacked(value)), "private_test_cases")


def unpacked(value: str) -> bytes:
    """base64 and zlib undone. Raises Skip when damaged or larger than MAX_TEST_BYTES."""
    try:
        compressed = base64.b64decode(value, validate=False)
        engine = zlib.decompressobj()
        content = engine.decompress(compressed, MAX_TEST_BYTES)
    except (binascii.Error, zlib.error, ValueError) as error:
        raise Skip(f"its private tests cannot be unpacked: {error}") from None
    if engine.unconsumed_tail:
        raise Skip(f"its private tests unpack to more than {MAX_TEST_BYTES >> 20} MiB")
    if not engine.eof:
        raise Skip("its private tests are cut off")
    return content


def pickled_text(content: bytes) -> str:
    """The one text in a pickle, read without executing anything. Raises Skip for any other."""
    found: list[str] = []
    try:
        for opcode, argument, _ in pickletools.genops(content):
            if opcode.name in _TEXT_OPCODES:
                found.append(str(argument))
            elif opcode.name not in _FRAMING:
                raise Skip(f"its private tests are a pickle of more than a text ({opcode.name})")
    except (ValueError, IndexError) as error:
        raise Skip(f"its private tests are not a pickle: {error}") from None
    if len(found) != 1:
        raise Skip(f"its private tests are a pickle of {len(found)} texts")
    return found[0]


SOURCE = Dataset(LiveCodeBench(), time_s=6.0)
