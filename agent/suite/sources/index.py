"""An index of a data file: heads of all rows, and the sizes of the tests that were looked at.

It lies in the cache, named by the file's identity and the format's version. A second start reads
only the index; the content of tests is read from the data file when a submission is judged.
"""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.shipped import cache_folder
from agent.suite.digest import canonical
from agent.suite.select import Facts
from agent.suite.sources.row_format import Head, RowFormat
from agent.suite.sources.rows import DataFile, Line, Skip, parsed

FORMAT = 1
_ID_FIELDS = ("question_id", "problem_id", "task_id", "id", "name")  # to name what is skipped
_TABLES = """
CREATE TABLE rows (line INTEGER PRIMARY KEY, offset INTEGER NOT NULL, length INTEGER NOT NULL,
  facts TEXT NOT NULL, skip TEXT NOT NULL);
CREATE TABLE heads (line INTEGER PRIMARY KEY, head TEXT NOT NULL);
CREATE TABLE tests (line INTEGER PRIMARY KEY, sizes BLOB NOT NULL, digest TEXT NOT NULL,
  skip TEXT NOT NULL);
"""

Sizes = list[tuple[int, int, int, bool]]  # (position in the row, input, answer bytes, sample)


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the index. skip: why it is left out, or ""."""

    line: Line
    facts: Facts
    skip: str


@dataclass(frozen=True, slots=True)
class Tested:
    """A row's tests: packed sizes in judging order, and a hash of their content."""

    sizes: bytes
    digest: str
    skip: str


class Index:
    """The index of one data file in one format."""

    def __init__(self, data: DataFile, format_: RowFormat, path: Path) -> None:
        self.data, self.format, self.path = data, format_, path

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self.path, timeout=60)

    def entries(self) -> list[Entry]:
        with closing(self._connect()) as db:
            rows = db.execute("SELECT line, offset, length, facts, skip FROM rows ORDER BY line")
            found = []
            for number, offset, length, facts, skip in rows:
                id_, title, difficulty, tags, date = json.loads(facts)
                known = Facts(id_, title, difficulty, tuple(tags), date)
                found.append(Entry(Line(number, offset, length), known, skip))
            return found

    def heads(self, lines: Sequence[int]) -> dict[int, Head]:
        with closing(self._connect()) as db:
            found = _for_lines(db, "SELECT line, head FROM heads", lines)
            return {line: Head.from_json(json.loads(head)) for line, head in found}

    def tested(self, lines: Sequence[int]) -> dict[int, Tested]:
        with closing(self._connect()) as db:
            found = _for_lines(db, "SELECT line, sizes, digest, skip FROM tests", lines)
            return {line: Tested(*rest) for line, *rest in found}

    def add_tested(self, found: Sequence[tuple[int, Tested]]) -> None:
        with closing(self._connect()) as db, db:
            db.executemany(
                "INSERT OR REPLACE INTO tests VALUES (?, ?, ?, ?)",
                [(line, t.sizes, t.digest, t.skip) for line, t in found],
            )


def _for_lines(db: sqlite3.Connection, select: str, lines: Sequence[int]) -> Iterator[Any]:
    for start in range(0, len(lines), 500):
        part = lines[start : start + 500]
        marks = ",".join("?" * len(part))
        yield from db.execute(f"{select} WHERE line IN ({marks})", part)


def open_index(data: DataFile, format_: RowFormat, say: Callable[[str], None]) -> Index:
    """The file's index; made when it is missing or the file has changed."""
    key = canonical(
        {
            "index": FORMAT,
            "file": data.identity(),
            "format": format_.name,
            "version": format_.version,
        }
    )
    folder = cache_folder("index")
    path = folder / f"{key[:32]}.sqlite"
    if not path.is_file():
        handle, name = tempfile.mkstemp(dir=folder)
        os.close(handle)
        try:
            _build(Path(name), data, format_, say)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
    return Index(data, format_, path)


def _build(path: Path, data: DataFile, format_: RowFormat, say: Callable[[str], None]) -> None:
    total = data.path.stat().st_size
    said = time.monotonic()
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;" + _TABLES)
        seen: dict[str, int] = {}
        for line, raw in data.lines():
            _add(db, line, raw, format_, seen)
            if time.monotonic() - said > 2:
                said = time.monotonic()
                done = 100 * (line.offset + line.length) // total
                say(f"{data.origin.name}: reading it for the first time, {done} %")


def _add(
    db: sqlite3.Connection, line: Line, raw: bytes, format_: RowFormat, seen: dict[str, int]
) -> None:
    facts, skip = Facts(""), ""
    try:
        row = parsed(raw, without=format_.heavy)
        facts = Facts(next((str(row[key]) for key in _ID_FIELDS if row.get(key)), "")[:100])
        head = format_.head(row)
        facts = Facts(head.id, head.title, head.difficulty, head.tags, head.date)
        if head.id in seen:
            raise Skip(f"the id of line {seen[head.id]} again")
        seen[head.id] = line.number
        db.execute("INSERT INTO heads VALUES (?, ?)", (line.number, json.dumps(head.as_json())))
    except Skip as reason:
        skip = str(reason)
    known = json.dumps([facts.id, facts.title, facts.difficulty, facts.tags, facts.date])
    values = (line.number, line.offset, line.length, known, skip)
    db.execute("INSERT INTO rows VALUES (?, ?, ?, ?, ?)", values)


def packed(sizes: Sizes) -> bytes:
    return zlib.compress(json.dumps(sizes, separators=(",", ":")).encode(), 1)


def unpacked(blob: bytes) -> Sizes:
    return [tuple(item) for item in json.loads(zlib.decompress(blob))]
