"""Tests that stay in the data file until they are judged."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import overload

from agent.suite.errors import SuiteError, at
from agent.suite.problem import Test
from agent.suite.sources.index import Sizes, Tested, packed, unpacked
from agent.suite.sources.row_format import Case, RowFormat
from agent.suite.sources.rows import DataFile, Line, Skip, parsed

KEPT_BYTES = 192 << 20  # decoded rows that are kept for the next submission


@dataclass(frozen=True, slots=True)
class RowRef:
    """One row of a data file."""

    data: DataFile
    format: RowFormat
    line: Line
    identity: tuple[str, int, int]

    @property
    def place(self) -> str:
        return f"{self.data.origin.name}:{self.line.number}"

    def cases(self) -> Sequence[Case]:
        """Decodes the row's tests. Raises Skip."""
        raw = self.data.read(self.line.offset, self.line.length)
        row = parsed(raw)
        del raw
        return self.format.cases(row)


def measure(ref: RowRef) -> Tested:
    """Reads a row's tests once: sizes in judging order, and a hash of their content."""
    try:
        cases = ref.cases()
        if not cases:
            raise Skip("it has no tests")
    except Skip as reason:
        return Tested(b"", "", str(reason))
    order = sorted(range(len(cases)), key=lambda i: (len(cases[i].input), i))
    sizes: Sizes = [(i, len(cases[i].input), len(cases[i].answer), cases[i].sample) for i in order]
    digest = hashlib.sha256()
    for i in order:
        case = cases[i]
        digest.update(b"%d %d %d\n" % (len(case.input), len(case.answer), case.sample))
        digest.update(case.input)
        digest.update(case.answer)
    return Tested(packed(sizes), digest.hexdigest(), "")


class _Kept:
    """The rows that were decoded last, up to KEPT_BYTES."""

    def __init__(self) -> None:
        self._rows: OrderedDict[tuple[str, int], tuple[Sequence[Case], int]] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def cases(self, ref: RowRef) -> Sequence[Case]:
        key = (str(ref.data.path), ref.line.offset)
        with self._lock:
            if key in self._rows:
                self._rows.move_to_end(key)
                return self._rows[key][0]
            if ref.data.identity() != ref.identity:
                raise SuiteError(f"{ref.data.origin}: has changed since it was loaded")
            try:
                cases = ref.cases()
            except Skip as reason:
                raise SuiteError(at(ref.data.origin, ref.line.number, str(reason))) from None
            size = sum(len(c.input) + len(c.answer) for c in cases)
            self._rows[key] = (cases, size)
            self._bytes += size
            while self._bytes > KEPT_BYTES and len(self._rows) > 1:
                _, (_, dropped) = self._rows.popitem(last=False)
                self._bytes -= dropped
            return cases


_KEPT = _Kept()


@dataclass(frozen=True, slots=True)
class Part:
    """Input or answer of one test of a row."""

    ref: RowRef
    position: int
    is_answer: bool
    size: int

    def read(self) -> bytes:
        case = _KEPT.cases(self.ref)[self.position]
        return case.answer if self.is_answer else case.input


class RowTests(Sequence[Test]):
    """A row's tests in judging order, built from the index when someone looks at them."""

    def __init__(self, ref: RowRef, sizes: bytes) -> None:
        self._ref, self._packed = ref, sizes
        self._tests: tuple[Test, ...] | None = None

    def _built(self) -> tuple[Test, ...]:
        if self._tests is None:
            ref = self._ref
            self._tests = tuple(
                Test(
                    name=f"{'sample' if sample else 'test'}-{position + 1:03d}",
                    input=Part(ref, position, False, input_bytes),
                    answer=Part(ref, position, True, answer_bytes),
                    sample=sample,
                )
                for position, input_bytes, answer_bytes, sample in unpacked(self._packed)
            )
        return self._tests

    def __len__(self) -> int:
        return len(self._built())

    @overload
    def __getitem__(self, index: int) -> Test: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Test]: ...
    def __getitem__(self, index: int | slice) -> Test | Sequence[Test]:
        return self._built()[index]

    def __iter__(self) -> Iterator[Test]:
        return iter(self._built())
