"""open-r1's Codeforces (Parquet or JSON Lines): official limits, tests and checkers.

A `generated_checker` is a Python program run as `checker.py input answer output`; it prints how
much of the points the output earns. It is wrapped so that the judge sees an accepting or rejecting
exit code of the `kattis` kind.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from agent.suite.sources.dataset import Dataset
from agent.suite.sources.row_format import (
    Case,
    Head,
    by_rating,
    case_of,
    refuse_several_answers,
    text,
    tolerance,
    words,
)
from agent.suite.sources.rows import Skip

_PARTS = (("description", ""), ("input_format", "Input"), ("output_format", "Output"))
_WRAPPER = '''\
"""Runs the checker below as `checker.py input answer output`; it prints the share of points."""
import contextlib, io, os, sys, tempfile

CHECKER = {checker!r}

folder = tempfile.mkdtemp()
output = os.path.join(folder, "output")
with open(output, "wb") as stream:
    stream.write(sys.stdin.buffer.read())
printed = io.StringIO()
sys.argv = ["checker.py", sys.argv[1], sys.argv[2], output]
ended = None
with contextlib.redirect_stdout(printed):
    try:
        exec(compile(CHECKER, "checker.py", "exec"), {{"__name__": "__main__"}})
    except SystemExit as stop:
        ended = stop.code
words = printed.getvalue().split()
if not words:
    sys.exit(1 if ended in (None, 0) else 43)  # said nothing: broken, or rejected by its exit code
try:
    share = float(words[-1])
except ValueError:
    sys.exit(1)
sys.exit(42 if share >= 1 else 43)
'''


class Codeforces:
    name = "codeforces"
    version = 1
    heavy = ""

    def head(self, row: Mapping[str, Any]) -> Head:
        if text(row, "interaction_format", "").strip():
            raise Skip("it is interactive, and the data has no interactor")
        if text(row, "input_mode", "stdio") != "stdio":
            raise Skip("it reads or writes a named file instead of stdin and stdout")
        if row.get("official_tests_complete") is not True:
            raise Skip("its official tests are incomplete")
        parts = [(title, text(row, name, "")) for name, title in _PARTS]
        note = text(row, "note", "")
        if not parts[0][1]:
            raise Skip("field 'description' is missing")
        statement = "\n\n".join(
            f"## {title}\n\n{body}" if title else body
            for title, body in [*parts, ("Note", note)]
            if body
        )
        checker = text(row, "generated_checker", "")
        if not checker:
            refuse_several_answers(statement)
        start = row.get("contest_start")
        return Head(
            id=f"cf-{text(row, 'id').replace('/', '')}",
            title=text(row, "title", text(row, "id")),
            statement=statement,
            difficulty=by_rating(row.get("rating")),
            tags=words(row, "tags"),
            date=_day(start),
            source=f"Codeforces {text(row, 'id')}",
            time_s=_positive(row, "time_limit"),
            memory_bytes=int(_positive(row, "memory_limit") * (1 << 20)),
            comparator=tolerance(statement),
            checker=_WRAPPER.format(checker=checker) if checker else "",
            checker_kind="kattis",
            checker_language="python",
        )

    def cases(self, row: Mapping[str, Any]) -> Sequence[Case]:
        official = row.get("official_tests")
        if not isinstance(official, list) or not official:
            raise Skip("it has no tests")
        hidden = [case_of(test) for test in official]
        samples = [case_of(test, sample=True) for test in row.get("examples") or ()]
        shown = {tuple(case.input.split()) for case in samples}
        return [*samples, *(c for c in hidden if tuple(c.input.split()) not in shown)]


def _day(start: Any) -> str:
    if not isinstance(start, int | float):
        return ""
    return datetime.datetime.fromtimestamp(start, datetime.UTC).date().isoformat()


def _positive(row: Mapping[str, Any], name: str) -> float:
    value = row.get(name)
    if not isinstance(value, int | float) or not value > 0:
        raise Skip(f"field {name!r} is missing")
    return float(value)


SOURCE = Dataset(Codeforces(), time_s=2.0)
