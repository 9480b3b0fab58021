"""A folder that appears under its name only when it is whole.

`OUT` is built in `.OUT.partial` beside it and renamed at the end. A finished file there carries its
own name, an unfinished one ends in `.part`, so that a run that was killed can be taken up again: a
staging folder holds the fingerprint of the work it belongs to, and another fingerprint discards it.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from pathlib import Path
from typing import Any

from agent.errors import UsageError

_PLAN = ".plan.json"


class Stage:
    """The staging folder of one output. `open` it, fill it, `publish` it."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.folder = target.parent / f".{target.name}.partial"
        self._lock: int | None = None

    def open(self, fingerprint: str) -> None:
        """Takes up or makes the staging folder. Raises UsageError: in use, or not writable."""
        try:
            self.target.parent.mkdir(parents=True, exist_ok=True)
            self.folder.mkdir(exist_ok=True)
            self._lock = os.open(self.folder / _PLAN, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise UsageError(f"{self.target}: cannot write there: {error.strerror}") from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            self._lock = None
            raise UsageError(f"{self.target}: another merge is writing it now") from None
        kept = os.pread(self._lock, 1 << 16, 0)
        for file in self.folder.iterdir():
            stale = kept != fingerprint.encode() or file.name.endswith(".part")
            if stale and file.name != _PLAN:
                shutil.rmtree(file) if file.is_dir() else file.unlink()
        os.ftruncate(self._lock, 0)
        os.pwrite(self._lock, fingerprint.encode(), 0)

    def part(self, name: str, size: int, head: bytes) -> Path:
        """A new file for `name` of `size` bytes that begins with `head`."""
        path = self.folder / f"{name}.part"
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
        try:
            os.ftruncate(descriptor, size)
            done = os.pwrite(descriptor, head, 0)
            if done != len(head):
                raise OSError(28, "No space left on device")
        finally:
            os.close(descriptor)
        return path

    def keep(self, name: str) -> None:
        """`name` is whole: flushed to the disk, then named."""
        path = self.folder / f"{name}.part"
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        path.rename(self.folder / name)

    def has(self, name: str) -> bool:
        return (self.folder / name).is_file()

    def write_json(self, name: str, value: Any) -> None:
        """Writes a small file at once (whole or not at all)."""
        part = self.folder / f"{name}.part"
        part.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        part.rename(self.folder / name)

    def read_json(self, name: str) -> Any:
        return json.loads((self.folder / name).read_text(encoding="utf-8"))

    def remove(self, name: str) -> None:
        (self.folder / name).unlink(missing_ok=True)

    def publish(self) -> None:
        """Gives the folder its name. Raises UsageError when the name was taken meanwhile."""
        (self.folder / _PLAN).unlink(missing_ok=True)
        try:
            self.folder.rename(self.target)
        except OSError as error:
            raise UsageError(f"{self.target}: cannot be named: {error.strerror}") from None
        parent = os.open(self.target.parent, os.O_RDONLY)
        try:
            os.fsync(parent)
        finally:
            os.close(parent)
        self.close()

    def discard(self) -> None:
        """Removes everything: the result would never be right."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.close()

    def rest(self) -> None:
        """After an error: what is finished stays for the next run; an empty folder does not."""
        if self._lock is not None and self.folder.is_dir():
            for file in self.folder.glob("*.part"):
                file.unlink()
            if {file.name for file in self.folder.iterdir()} <= {_PLAN}:
                self.discard()
        self.close()

    def close(self) -> None:
        """Lets go of the folder."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
