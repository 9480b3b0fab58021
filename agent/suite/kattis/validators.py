"""The output validator that a package ships."""

from __future__ import annotations

from pathlib import Path

from agent.suite.errors import SuiteError
from agent.suite.kattis.tests import inside
from agent.suite.languages import HEADERS, language_of
from agent.suite.problem import Checker

FOLDERS = ("output_validator", "output_validators")


def find_validator(folder: Path) -> Checker | None:
    """The package's only output validator, or None. Raises SuiteError when there are several."""
    found = [p for name in FOLDERS for p in _programs(folder / name)]
    if not found:
        return None
    if len(found) > 1:
        names = ", ".join(p.name for p in found)
        raise SuiteError(f"{folder}: several output validators ({names}); only one is supported")
    return _checker(found[0], folder)


def _programs(folder: Path) -> list[Path]:
    """Validators in a folder: each file or folder is one, or its loose files together are one."""
    if not folder.is_dir():
        return []
    entries = [p for p in sorted(folder.iterdir()) if not p.name.startswith((".", "README"))]
    sources = [p for p in entries if p.is_file() and language_of(p)]
    folders = [p for p in entries if p.is_dir() and _sources(p)]
    if sources and folder.name == "output_validator":
        return [folder]
    if any(p.is_file() and p.suffix in HEADERS for p in entries) and len(sources) == 1:
        return [folder]
    return sources + folders


def _sources(folder: Path) -> list[Path]:
    return [p for p in sorted(folder.rglob("*")) if p.is_file() and language_of(p)]


def _checker(program: Path, package: Path) -> Checker:
    if program.is_file():
        files = [program]
    else:
        files = [
            p
            for p in sorted(program.rglob("*"))
            if p.is_file() and (language_of(p) or p.suffix in HEADERS)
        ]
        names = [p.name for p in files]
        if len(set(names)) < len(names):
            raise SuiteError(f"{program}: two files of the validator have the same name")
        if (program / "build").is_file():
            raise SuiteError(
                f"{program / 'build'}: a validator with its own build is not supported"
            )
    languages = sorted({language_of(p) for p in files if language_of(p)})
    if len(languages) != 1:
        raise SuiteError(
            f"{program}: cannot tell the validator's language ({', '.join(languages)})"
        )
    return Checker(
        kind="kattis",
        files=tuple(inside(p, package) for p in files),
        language=languages[0],
    )
