"""`submissions/` of a package: solutions and the verdicts that the jury declared."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator
from pathlib import Path

from agent.suite.errors import SuiteError
from agent.suite.kattis.tests import inside
from agent.suite.languages import HEADERS, language_of
from agent.suite.problem import Reference
from agent.suite.yamlfile import read

# A jury's word and the verdicts of ours that mean it: these formats have no MLE (a memory failure
# is a run-time error there) and no ILE (waiting for ever is a time-out there).
_AC, _WA = ("AC",), ("WA", "OLE")
_TLE, _RE = ("TLE", "ILE"), ("RE", "MLE")
_ANY_FAILURE = (*_WA, *_TLE, *_RE)
FOLDERS = {
    "accepted": _AC,
    "wrong_answer": _WA,
    "wa": _WA,
    "time_limit_exceeded": _TLE,
    "time_limit": _TLE,
    "tle": _TLE,
    "run_time_error": _RE,
    "runtime_error": _RE,
    "rte": _RE,
    "rejected": _ANY_FAILURE,
    "brute_force": ("AC", *_TLE, *_RE),
    "compiler_error": ("CE",),
    "compile_error": ("CE",),
    "output_limit": ("OLE",),
    "no_output": _WA,
}
WORDS = {
    "AC": _AC, "ACCEPTED": _AC, "CORRECT": _AC,
    "WA": _WA, "WRONG-ANSWER": _WA, "WRONG_ANSWER": _WA, "NO-OUTPUT": _WA,
    "TLE": _TLE, "TIMELIMIT": _TLE, "TIME_LIMIT_EXCEEDED": _TLE,
    "RTE": _RE, "RUN-ERROR": _RE, "RUN_TIME_ERROR": _RE, "MEMORY-LIMIT": _RE,
    "CE": ("CE",), "COMPILER-ERROR": ("CE",),
    "OLE": ("OLE",), "OUTPUT-LIMIT": ("OLE",),
    "REJECTED": _ANY_FAILURE,
}  # fmt: skip
_COMMENT = re.compile(rb"@EXPECTED_(?:RESULTS|VERDICTS?)@:\s*([^\r\n*]*)")


def read_submissions(folder: Path) -> tuple[Reference, ...]:
    """Every submission whose declared verdict is known; stray and binary files are left out.

    A comment in the source overrides `submissions.yaml`, and that the folder's name.
    """
    found: list[Reference] = []
    overrides = _overrides(folder / "submissions" / "submissions.yaml")
    for verdict_folder in sorted(p for p in (folder / "submissions").glob("*") if p.is_dir()):
        declared = FOLDERS.get(verdict_folder.name.lower())
        for path in sorted(verdict_folder.iterdir()):
            name = f"{verdict_folder.name}/{path.name}"
            given = [v for glob, v in overrides if fnmatch.fnmatchcase(name, glob)]
            reference = _reference(path, given[-1] if given else declared, folder)
            if reference is not None:
                found.append(reference)
    return tuple(found)


def _overrides(path: Path) -> list[tuple[str, tuple[str, ...]]]:
    """(glob below submissions/, verdicts) of a `submissions.yaml`: what must occur on some test,
    else what may occur at all."""
    if not path.is_file():
        return []
    document = read(path)
    if not isinstance(document.data, dict):
        raise document.error((), "expected a mapping of globs to expectations")
    found = []
    for glob, value in document.data.items():
        if not isinstance(value, dict):
            continue
        said = value.get("required") or value.get("permitted") or value.get("expectation")
        names = said if isinstance(said, list) else [said]
        verdicts = [v for name in names for v in _declared(str(name))]
        if verdicts:
            found.append((str(glob).rstrip("/"), tuple(dict.fromkeys(verdicts))))
    return found


def _declared(word: str) -> tuple[str, ...]:
    return WORDS.get(word.upper()) or FOLDERS.get(word.lower(), ())


def _reference(path: Path, declared: tuple[str, ...] | None, package: Path) -> Reference | None:
    files = tuple(_source_files(path))
    languages = {language_of(p) for p in files if language_of(p)}
    if len(languages) != 1:
        return None
    try:
        contents = [inside(p, package).read_bytes() for p in files]
    except (OSError, SuiteError):
        return None
    if any(b"\0" in content for content in contents):
        return None
    expected = _from_comment(contents) or declared
    if expected is None:
        return None
    language = _python_of(languages.pop(), contents)
    return Reference(
        name=f"{path.parent.name}/{path.name}",
        path=path,
        language=language,
        expected=expected,
        files=files if path.is_dir() else (),
    )


def _source_files(path: Path) -> Iterator[Path]:
    if path.name.startswith("."):
        return
    if path.is_file():
        if language_of(path):
            yield path
    elif path.is_dir():
        for inner in sorted(path.rglob("*")):
            if inner.is_file() and (language_of(inner) or inner.suffix in HEADERS):
                yield inner


def _from_comment(contents: list[bytes]) -> tuple[str, ...] | None:
    """`@EXPECTED_RESULTS@: TIMELIMIT, RUN-ERROR` in the source; it overrides the folder."""
    for content in contents:
        match = _COMMENT.search(content)
        if match is None:
            continue
        names = [w.strip().upper() for w in match[1].decode("ascii", "replace").split(",")]
        verdicts = [v for name in names if name in WORDS for v in WORDS[name]]
        if verdicts:
            return tuple(dict.fromkeys(verdicts))
    return None


_PRINT = re.compile(rb"^[ \t]*print[ \t]+[^(=\s]", re.MULTILINE)


def _python_of(language: str, contents: list[bytes]) -> str:
    """Python 2 when the first line says so, or when `print` is a statement."""
    if language != "python":
        return language
    for content in contents:
        first = content.split(b"\n", 1)[0]
        if first.startswith(b"#!"):
            if b"python2" in first:
                return "python2"
            if b"pypy" in first:
                return "pypy"
            if b"python3" in first:
                return "python"
        if _PRINT.search(content):
            return "python2"
    return "python"
