"""Files below /work: look at them, create them, edit them."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from tools import BadArguments, Workspace
from tools.arguments import Arguments, parse, schema_of
from tools.text import cut, readable

_PATH = "Path of the file, in /work."
_MAX_BYTES = 1 << 20
_CONTEXT_LINES = 3


async def read_text(workspace: Workspace, path: str) -> str:
    """A text file of the workspace. Raises BadArguments when there is no such file."""
    try:
        data = await workspace.read(path, max_bytes=_MAX_BYTES)
    except FileNotFoundError:
        raise BadArguments(f"argument 'path': there is no file {path}") from None
    except ValueError as error:
        raise BadArguments(f"argument 'path': {error}") from None
    return data.decode("utf-8", "replace")


async def write_text(workspace: Workspace, path: str, text: str) -> None:
    try:
        await workspace.write(path, text.encode("utf-8", "replace"))
    except ValueError as error:
        raise BadArguments(f"argument 'path': {error}") from None


def numbered(lines: list[str], first: int) -> str:
    """Lines with their numbers, `first` being the number of the first one."""
    return "\n".join(f"{first + i:6}\t{line}" for i, line in enumerate(lines))


class Range(Arguments):
    path: str = Field(description=_PATH)
    start: int = Field(default=1, ge=1, description="First line to show.")
    end: int | None = Field(default=None, ge=1, description="Last line to show.")


class View:
    """`view(path, start, end)`."""

    name = "view"
    description = "Shows a text file with line numbers, or the lines from `start` to `end` of it."

    schema = schema_of(Range)

    def __init__(self, workspace: Workspace, *, output_chars: int) -> None:
        self._workspace, self._output_chars = workspace, output_chars

    async def call(self, arguments: Mapping[str, Any]) -> str:
        """The lines, numbered."""
        given = parse(Range, arguments)
        lines = readable(await read_text(self._workspace, given.path)).split("\n")
        if lines[-1] == "":
            lines.pop()
        if not lines:
            return "[the file is empty]"
        if given.start > len(lines):
            raise BadArguments(f"argument 'start': the file has {len(lines)} lines")
        shown = lines[given.start - 1 : given.end]
        if not shown:
            raise BadArguments("argument 'end': must not lie before start")
        return cut(numbered(shown, given.start), self._output_chars)


class NewFile(Arguments):
    path: str = Field(description=_PATH)
    content: str = Field(description="The whole content of the file.")


class Create:
    """`create(path, content)`."""

    name = "create"
    description = "Creates a file with the given content, or replaces it. Folders are made."

    schema = schema_of(NewFile)

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    async def call(self, arguments: Mapping[str, Any]) -> str:
        """Writes the file."""
        given = parse(NewFile, arguments)
        await write_text(self._workspace, given.path, given.content)
        lines = given.content.count("\n") + (not given.content.endswith("\n"))
        return f"[wrote {given.path}: {lines if given.content else 0} lines]"


class Replacement(Arguments):
    path: str = Field(description=_PATH)
    old: str = Field(min_length=1, description="The exact text to replace.")
    new: str = Field(description="The text to put in its place.")


class Edit:
    """`edit(path, old, new)`: replaces a text that occurs exactly once."""

    name = "edit"
    description = (
        "Replaces the text `old` by `new` in a file. `old` must occur exactly once, with the same"
        " spaces and line breaks; take in a few lines around it to make it unique."
    )

    schema = schema_of(Replacement)

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    async def call(self, arguments: Mapping[str, Any]) -> str:
        """Edits the file and shows the place, or says where `old` matched or nearly matched."""
        given = parse(Replacement, arguments)
        text = await read_text(self._workspace, given.path)
        count = text.count(given.old)
        if count != 1:
            raise BadArguments("argument 'old': " + _mismatch(text, given.old, count))
        start = text.index(given.old)
        await write_text(self._workspace, given.path, text.replace(given.old, given.new, 1))
        edited = text[:start] + given.new + text[start + len(given.old) :]
        first = text.count("\n", 0, start) + 1
        last = first + given.new.count("\n")
        low = max(1, first - _CONTEXT_LINES)
        lines = edited.split("\n")[low - 1 : last + _CONTEXT_LINES]
        return f"[edited {given.path}]\n" + cut(numbered(lines, low), 4000)


def _mismatch(text: str, old: str, count: int) -> str:
    if count > 1:
        places: list[str] = []
        position = text.find(old)
        while position >= 0 and len(places) < 10:
            places.append(str(text.count("\n", 0, position) + 1))
            position = text.find(old, position + len(old))
        more = " and more" if count > len(places) else ""
        return f"occurs {count} times, from lines {', '.join(places)}{more}; it must occur once"
    found = _nearest(text.split("\n"), old.strip("\n").split("\n"))
    if found is None:
        return "does not occur in the file; view it and copy the text exactly"
    line, same = found
    lines = text.split("\n")[line : line + old.strip("\n").count("\n") + 1]
    why = "differs only in spaces" if same else "is the nearest"
    return f"does not occur in the file; what {why} is in line {line + 1}:\n" + cut(
        numbered(lines, line + 1), 2000
    )


def _nearest(lines: list[str], wanted: list[str]) -> tuple[int, bool] | None:
    """The place most like `wanted`: its first line (0-based), and whether only spaces differ."""
    squeezed = ["".join(line.split()) for line in lines]
    target = ["".join(line.split()) for line in wanted]
    size = len(target)
    for start in range(len(lines) - size + 1):
        if squeezed[start : start + size] == target:
            return start, True
    # By the most telling line: the longest one. Bounded, so a huge file costs little.
    anchor = max(range(size), key=lambda i: len(target[i]))
    close = difflib.get_close_matches(target[anchor], squeezed[:5000], 1, cutoff=0.6)
    if not close:
        return None
    return max(0, squeezed.index(close[0]) - anchor), False
