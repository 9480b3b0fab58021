"""Rows of a data file: JSON Lines read in place; Parquet and gzip are laid out as such, once."""

from __future__ import annotations

import gzip
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.shipped import cache_folder
from agent.suite.digest import canonical
from agent.suite.errors import SuiteError

MAX_UNPACKED = 64 << 30  # of a .gz file: beyond it, it is not a data set


class Skip(Exception):
    """This row cannot be judged faithfully, or is damaged; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Line:
    """Where a row stands: bytes `offset` to `offset + length` of the file, line `number`."""

    number: int
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class DataFile:
    """A JSON Lines file. `origin` is the file that the user named, for messages."""

    path: Path
    origin: Path

    def lines(self) -> Iterator[tuple[Line, bytes]]:
        """Every line that is not blank, in order; one in memory at a time."""
        offset = number = 0
        with self.path.open("rb", buffering=1 << 20) as stream:
            for raw in stream:
                number += 1
                size = len(raw)
                if number == 1:
                    raw = raw.removeprefix(b"\xef\xbb\xbf")
                if raw and not raw.isspace():
                    yield Line(number, offset + size - len(raw), len(raw)), raw
                offset += size

    def read(self, offset: int, length: int) -> bytes:
        try:
            with self.path.open("rb") as stream:
                stream.seek(offset)
                return stream.read(length)
        except OSError as error:
            raise SuiteError(f"{self.origin}: {error.strerror}") from error

    def identity(self) -> tuple[str, int, int]:
        """Changes when the file does."""
        return _identity(self.path)


def _identity(path: Path) -> tuple[str, int, int]:
    try:
        found = path.stat()
    except OSError as error:
        raise SuiteError(f"{path}: {error.strerror}") from error
    return str(path.resolve()), found.st_size, found.st_mtime_ns


def parsed(raw: bytes, without: str = "") -> Mapping[str, Any]:
    """One line as a JSON object. Raises Skip.

    without: a field that nobody will look at; when it holds a long plain text it is not parsed
    and comes out empty.
    """
    if without:
        raw = _cut(raw, without.encode())
    try:
        value = json.loads(raw)
    except UnicodeDecodeError as error:
        raise Skip(f"not UTF-8 (byte {error.start} of the line)") from None
    except (ValueError, RecursionError) as error:
        raise Skip(f"not JSON: {error}") from None
    if not isinstance(value, dict):
        raise Skip(f"expected a JSON object, not a {type(value).__name__}")
    return value


def _cut(raw: bytes, name: bytes) -> bytes:
    """The line with the text in field `name` emptied, when that can be done by looking for quotes.

    A quote inside a JSON text has a backslash before it, so one without begins a key or ends a
    text, and a text without any backslash ends at the next quote.
    """
    start = raw.find(b'"' + name + b'"')
    if start <= 0 or raw[start - 1 : start] == b"\\":
        return raw
    opening = raw.find(b'"', start + len(name) + 2)
    closing = raw.find(b'"', opening + 1)
    between = raw[start + len(name) + 2 : opening].strip()
    if opening < 0 or closing < 0 or between != b":" or raw.find(b"\\", opening, closing) >= 0:
        return raw
    return raw[: opening + 1] + raw[closing:]


def open_data(path: Path, say: Callable[[str], None]) -> DataFile:
    """A .jsonl, .parquet or .gz file as JSON Lines. Raises SuiteError."""
    if not path.is_file():
        raise SuiteError(f"{path}: no such data file")
    if path.suffix == ".parquet":
        return _laid_out(path, say, _from_parquet)
    if path.suffix == ".gz":
        return _laid_out(path, say, _from_gzip)
    return DataFile(path, path)


def _laid_out(
    path: Path, say: Callable[[str], None], write: Callable[[Path, Any], None]
) -> DataFile:
    folder = cache_folder("rows")
    target = folder / f"{canonical({'identity': _identity(path)})[:32]}.jsonl"
    if not target.is_file():
        say(f"{path.name}: laying it out as JSON Lines (once)")
        handle, name = tempfile.mkstemp(dir=folder)
        try:
            with os.fdopen(handle, "wb") as stream:
                write(path, stream)
            os.replace(name, target)
        except BaseException:
            os.unlink(name)
            raise
    return DataFile(target, path)


def _from_gzip(path: Path, out: Any) -> None:
    size = 0
    try:
        with gzip.open(path) as stream:
            while chunk := stream.read(1 << 20):
                size += len(chunk)
                if size > MAX_UNPACKED:
                    raise SuiteError(f"{path}: unpacks to more than {MAX_UNPACKED >> 30} GiB")
                out.write(chunk)
    except (OSError, EOFError) as error:
        raise SuiteError(f"{path}: not a whole gzip file: {error}") from error


def _from_parquet(path: Path, out: Any) -> None:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise SuiteError(
            f"{path}: Parquet needs pyarrow: pip install 'frontier-agent[parquet]'"
        ) from None
    try:
        with pyarrow.parquet.ParquetFile(path) as table:
            for batch in table.iter_batches(batch_size=8):
                for row in batch.to_pylist():
                    out.write(json.dumps(row, ensure_ascii=False, default=_plain).encode())
                    out.write(b"\n")
    except (pyarrow.ArrowException, OSError) as error:
        raise SuiteError(f"{path}: not a whole Parquet file: {error}") from error


def _plain(value: Any) -> Any:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
