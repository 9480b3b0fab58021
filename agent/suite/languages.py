"""Which language a file is written in, by its ending. The judge knows how to run each."""

from __future__ import annotations

from pathlib import Path

_BY_SUFFIX = {
    ".py": "python",
    ".py3": "python",
    ".py2": "python2",
    ".c": "c",
    ".cc": "cpp",
    ".cpp": "cpp",
    ".cxx": "cpp",
    ".c++": "cpp",
    ".C": "cpp",
    ".java": "java",
    ".kt": "kotlin",
    ".rs": "rust",
    ".go": "go",
    ".js": "javascript",
    ".hs": "haskell",
    ".rb": "ruby",
    ".cs": "csharp",
    ".pas": "pascal",
    ".ml": "ocaml",
    ".scala": "scala",
    ".sh": "bash",
}
HEADERS = frozenset({".h", ".hh", ".hpp", ".hxx", ".inc"})

KNOWN = frozenset(_BY_SUFFIX.values()) | {"pypy"}


def language_of(path: Path) -> str:
    """The language that the ending tells, or "" when it tells none."""
    return _BY_SUFFIX.get(path.suffix) or _BY_SUFFIX.get(path.suffix.lower(), "")
