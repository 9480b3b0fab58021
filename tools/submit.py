"""Handing a file in. May be repeated: the last submission counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from tools import BadArguments, Submitted, Workspace
from tools.arguments import Arguments, parse, schema_of
from tools.files import read_text

_SUFFIXES = {
    ".py": ("python", "pypy"),
    ".cpp": ("cpp",),
    ".cc": ("cpp",),
    ".cxx": ("cpp",),
    ".c": ("c",),
    ".java": ("java",),
    ".rs": ("rust",),
    ".go": ("go",),
}


def language_of(path: str, given: str | None, accepted: Sequence[str]) -> str:
    """The language named, else the one of the file's ending. Raises BadArguments."""
    if given is not None:
        if given not in accepted:
            raise BadArguments(f"argument 'language': accepted are {', '.join(accepted)}")
        return given
    for suffix, languages in _SUFFIXES.items():
        if path.endswith(suffix):
            for language in languages:
                if language in accepted:
                    return language
    if len(accepted) == 1:
        return accepted[0]
    raise BadArguments(
        "argument 'path': its ending names no accepted language; give `language`, one of"
        f" {', '.join(accepted)}"
    )


class Handed(Arguments):
    path: str = Field(description="Path of the program, in /work.")
    language: str | None = Field(
        default=None, description="Its language, when the file's ending does not tell."
    )


class Submit:
    """`submit(path, language)`."""

    name = "submit"

    schema = schema_of(Handed)

    def __init__(self, workspace: Workspace, languages: Sequence[str]) -> None:
        self._workspace, self._languages = workspace, languages

    @property
    def description(self) -> str:
        return (
            "Hands in a file as your program. You may submit again; the last submission counts."
            f" Languages: {', '.join(self._languages)}."
            if self._languages
            else "Hands in a file as your program. You may submit again; the last one counts."
        )

    async def call(self, arguments: Mapping[str, Any]) -> str:
        """Raises Submitted; the attempt goes on."""
        given = parse(Handed, arguments)
        language = language_of(given.path, given.language, self._languages)
        source = await read_text(self._workspace, given.path)
        if not source.strip():
            raise BadArguments(f"argument 'path': {given.path} is empty")
        raise Submitted(source, language, final=False)
