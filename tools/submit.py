"""Handing a file in. May be repeated: the last submission counts."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import Field

from tools import BadArguments, Submitted, Workspace
from tools.arguments import Arguments, parse, schema_of
from tools.files import read_text


@dataclass(frozen=True, slots=True)
class Accepted:
    """The languages that a submission may have, and the file endings that tell them."""

    names: tuple[str, ...] = ()
    endings: Mapping[str, str] = field(default_factory=dict)  # ".py" -> "python"

    def of(self, path: str, given: str | None) -> str:
        """The language named, else the one of the file's ending. Raises BadArguments."""
        if given is not None:
            if given not in self.names:
                raise BadArguments(f"argument 'language': accepted are {', '.join(self.names)}")
            return given
        language = self.endings.get(posixpath.splitext(path)[1])
        if language is None and len(self.names) == 1:
            language = self.names[0]
        if language is None:
            raise BadArguments(
                "argument 'path': its ending names no accepted language; give `language`, one of"
                f" {', '.join(self.names)}"
            )
        return language


class Handed(Arguments):
    path: str = Field(description="Path of the program, in /work.")
    language: str | None = Field(
        default=None, description="Its language, when the file's ending does not tell."
    )


class Submit:
    """`submit(path, language)`."""

    name = "submit"

    schema = schema_of(Handed)

    def __init__(self, workspace: Workspace, accepted: Accepted) -> None:
        self._workspace, self._accepted = workspace, accepted

    @property
    def description(self) -> str:
        return (
            "Hands in a file as your program. You may submit again; the last submission counts."
            f" Languages: {', '.join(self._accepted.names)}."
            if self._accepted.names
            else "Hands in a file as your program. You may submit again; the last one counts."
        )

    async def call(self, arguments: Mapping[str, Any]) -> str:
        """Raises Submitted; the attempt goes on."""
        given = parse(Handed, arguments)
        language = self._accepted.of(given.path, given.language)
        source = await read_text(self._workspace, given.path)
        if not source.strip():
            raise BadArguments(f"argument 'path': {given.path} is empty")
        raise Submitted(source, language, final=False)
