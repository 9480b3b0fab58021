"""Bytes that are read only when they are needed. Each class is a `Data` of `problem.py`."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from agent.suite.errors import SuiteError


@dataclass(frozen=True, slots=True)
class Bytes:
    """Data that is in memory already."""

    content: bytes

    @property
    def size(self) -> int:
        return len(self.content)

    def read(self) -> bytes:
        return self.content


@dataclass(frozen=True, slots=True)
class File:
    """A whole file; its size was looked up when the problem was loaded."""

    path: Path
    size: int

    @classmethod
    def at(cls, path: Path) -> File:
        """Raises SuiteError when there is no readable regular file."""
        try:
            if not path.is_file():
                raise SuiteError(
                    f"{path}: not a file" if path.exists() else f"{path}: no such file"
                )
            return cls(path, path.stat().st_size)
        except OSError as error:
            raise SuiteError(f"{path}: {error.strerror}") from error

    def read(self) -> bytes:
        try:
            return self.path.read_bytes()
        except OSError as error:
            raise SuiteError(f"{self.path}: {error.strerror}") from error

    def sha256(self) -> str:
        try:
            with self.path.open("rb") as stream:
                return hashlib.file_digest(stream, "sha256").hexdigest()
        except OSError as error:
            raise SuiteError(f"{self.path}: {error.strerror}") from error


@dataclass(frozen=True, slots=True)
class Generated:
    """A generated file in the cache, whose hash was taken when it was made."""

    path: Path
    size: int
    hash: str

    def read(self) -> bytes:
        return File(self.path, self.size).read()

    def sha256(self) -> str:
        return self.hash
