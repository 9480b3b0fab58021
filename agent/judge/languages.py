"""Languages are data: how to compile and run each, from `languages.yaml` and a user's own file."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agent.errors import UsageError
from agent.suite.errors import did_you_mean

OURS = Path(__file__).with_name("languages.yaml")
VARIABLE = "FRONTIER_AGENT_LANGUAGES"


class LanguageError(UsageError):
    """A languages file is wrong, or a language is not known."""


class _Entry(BaseModel):
    """One entry of a languages file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str = ""
    aliases: tuple[str, ...] = ()  # names in commands, suites and fence labels
    extensions: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()  # files beside the sources that are not compiled on their own
    file: str = Field(pattern=r"^[\w.+-]+$")  # what a submission's source is called
    compile: str = ""
    artifact: str = ""  # "": what runs are the sources
    run: str = Field(min_length=1)
    version: str = ""  # prints what can change a verdict; part of the compile cache's key
    env: dict[str, str] = {}
    time_factor: float = Field(default=1.0, gt=0)  # on every time limit
    compile_s: float = Field(default=30.0, gt=0)  # CPU seconds
    compile_mb: int = Field(default=1536, gt=0)


@dataclass(frozen=True, slots=True)
class Program:
    """What is judged: files by plain name, the first source is the one that runs."""

    files: tuple[tuple[str, bytes], ...]
    language: str

    @classmethod
    def at(cls, paths: Sequence[Path], language: str) -> Self:
        """Reads a solution of one or more files. Raises OSError."""
        return cls(tuple((path.name, path.read_bytes()) for path in paths), language)


@dataclass(frozen=True, slots=True)
class Language:
    """One language, ready to make commands."""

    name: str
    entry: _Entry

    @property
    def title(self) -> str:
        return self.entry.title or self.name

    @property
    def env(self) -> Mapping[str, str]:
        return self.entry.env

    def sources(self, program: Program) -> tuple[str, ...]:
        """Names of the files to compile, the one that runs first."""
        names = [n for n, _ in program.files if Path(n).suffix not in self.entry.headers]
        own = [n for n in names if not self.entry.extensions or self._is_own(n)] or names
        return tuple(sorted(own, key=lambda n: (Path(n).stem not in ("main", "__main__"), n)))

    def _is_own(self, name: str) -> bool:
        return Path(name).suffix in self.entry.extensions or name == self.entry.file

    def compile_command(self, program: Program) -> tuple[str, ...]:
        """Empty when there is nothing to compile."""
        return self._command(self.entry.compile, program)

    def run_command(self, program: Program) -> tuple[str, ...]:
        return self._command(self.entry.run, program)

    def _command(self, template: str, program: Program) -> tuple[str, ...]:
        sources = self.sources(program)
        words: list[str] = []
        for word in shlex.split(template):
            if word == "{sources}":
                words += sources
            else:
                named = word.replace("{artifact}", self.entry.artifact)
                words.append(named.replace("{main}", sources[0] if sources else self.entry.file))
        return tuple(words)


@dataclass(frozen=True, slots=True)
class Languages:
    """All known languages. Looking one up takes its name or an alias."""

    by_name: Mapping[str, Language]
    aliases: Mapping[str, str] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Language]:
        return iter(self.by_name.values())

    def find(self, name: str) -> Language:
        """Raises LanguageError with the names that are known."""
        key = name.strip().lower()
        language = self.by_name.get(self.aliases.get(key, key))
        if language is None:
            hint = did_you_mean(key, [*self.by_name, *self.aliases])
            raise LanguageError(
                f"unknown language {name!r}{hint}; known: {', '.join(self.by_name)}"
                f" (add one with --languages FILE)"
            )
        return language

    def of_file(self, path: Path) -> Language | None:
        """By the ending of the name."""
        for suffix in (path.suffix, path.suffix.lower()):
            for language in self:
                if suffix and suffix in language.entry.extensions:
                    return language
        return None

    def detect(self, source: str, label: str = "") -> Language | None:
        """The language of a piece of source: by a fence's label, else by what it looks like."""
        key = label.strip().lower()
        name = self.aliases.get(key, key) if key else _looks_like(source)
        return self.by_name.get(name)


_INCLUDE = re.compile(r"^\s*#\s*include\s*[<\"]", re.MULTILINE)
_CPP = re.compile(r"\bstd::|\busing\s+namespace\b|<(bits/stdc\+\+\.h|iostream|vector|string)>")
_PYTHON = re.compile(
    r"^\s*(import \w|from [\w.]+ import\b|def \w+\(|for .+ in .+:|while .+:|print\(|\w+ = )",
    re.MULTILINE,
)


def _looks_like(source: str) -> str:
    head = source[:100_000]
    if _INCLUDE.search(head):
        return "cpp" if _CPP.search(head) else "c"
    if head.startswith("#!") and "bash" in head.split("\n", 1)[0]:
        return "bash"
    return "python" if _PYTHON.search(head) else ""


def load_languages(path: Path | None = None) -> Languages:
    """Ours, and those of `path` or of the file that FRONTIER_AGENT_LANGUAGES names.

    Raises LanguageError: file, language, key and what is expected.
    """
    raw = _read(OURS)
    extra = path or (Path(named) if (named := os.environ.get(VARIABLE)) else None)
    if extra is not None:
        for name, entry in _read(extra).items():
            raw[name] = {**raw.get(name, {}), **entry}
    found: dict[str, Language] = {}
    aliases: dict[str, str] = {}
    for name, entry in raw.items():
        try:
            language = Language(name, _Entry.model_validate(entry))
        except ValidationError as error:
            first = error.errors()[0]
            key = ".".join(str(part) for part in first["loc"])
            raise LanguageError(f"{extra or OURS}: {name}.{key}: {first['msg']}") from None
        found[name] = language
        aliases |= {alias.lower(): name for alias in language.entry.aliases}
    return Languages(found, {a: n for a, n in aliases.items() if a not in found})


def _read(path: Path) -> dict[str, dict[str, Any]]:
    try:
        data = yaml.safe_load(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise LanguageError(f"{path}: cannot be read: {error}") from None
    except yaml.YAMLError as error:
        raise LanguageError(f"{path}: not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(data, dict) or not all(isinstance(e, dict) for e in data.values()):
        raise LanguageError(f"{path}: expected a mapping from language names to their keys")
    return {str(name): entry for name, entry in data.items()}
