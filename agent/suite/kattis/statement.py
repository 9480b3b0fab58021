"""The statement of a package: Markdown or LaTeX, in the language asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from agent.suite.yamlfile import read_text

FOLDERS = ("statement", "problem_statement")
_NAME = re.compile(r"^problem(?:\.([A-Za-z]{2,3}(?:-[A-Za-z]{2,4})?))?\.(md|tex)$")
_TITLE = re.compile(r"\\problemname\{((?:[^{}]|\{[^{}]*\})*)\}")
_SAMPLES = re.compile(
    r"\{\{(?:nextsample|remainingsamples)\}\}|\\(?:nextsample|remainingsamples)\b"
)
_PICTURE = re.compile(r"\\illustration\{[^}]*\}\{[^}]*\}\{((?:[^{}]|\{[^{}]*\})*)\}")


@dataclass(frozen=True, slots=True)
class Statement:
    title: str  # as the statement itself gives it, or ""
    text: str
    language: str


def read_statement(folder: Path, wanted: str = "en") -> Statement:
    """In the wanted language, else English, else the first; empty when none is text (only a PDF).

    Such a problem can be judged, but not attempted.
    """
    found = _candidates(folder)
    if not found:
        return Statement("", "", "")
    order = sorted(found, key=lambda item: (item[0] != wanted, item[0] not in ("en", ""), item))
    language, path = order[0]
    raw = read_text(path)
    if path.suffix == ".md":
        return Statement("", _SAMPLES.sub("", raw).strip(), language)
    title = _TITLE.search(raw)
    return Statement(title[1].strip() if title else "", _without_layout(raw), language)


def _candidates(folder: Path) -> list[tuple[str, Path]]:
    found = []
    for name in FOLDERS:
        for path in sorted((folder / name).glob("problem*")):
            match = _NAME.match(path.name)
            if match and path.is_file():
                found.append((match[1] or "", path))
    return found


def _without_layout(tex: str) -> str:
    """LaTeX as it is, less comments, title, pictures and places for samples."""
    lines = [re.sub(r"(?<!\\)%.*", "", line) for line in tex.splitlines()]
    kept = [
        new
        for new, old in zip(lines, tex.splitlines(), strict=True)
        if new.strip() or not old.strip()
    ]
    text = _TITLE.sub("", "\n".join(kept))
    text = _SAMPLES.sub("", _PICTURE.sub("", text))
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def title_of(titles: Mapping[str, str], statement: Statement, folder: Path) -> str:
    """The title in the statement's language, else any, else the package's short name."""
    for language in (statement.language, "", "en"):
        if titles.get(language):
            return titles[language]
    return statement.title or next(iter(titles.values()), "") or folder.name
