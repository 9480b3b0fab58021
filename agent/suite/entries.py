"""From a suite's YAML (and those that it extends) to the problems that its entries name."""

from __future__ import annotations

import glob
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.shipped import folder as shipped
from agent.suite.errors import SuiteError, did_you_mean
from agent.suite.kattis.package import is_package, load_package
from agent.suite.own import OwnProblem, is_own, read_own
from agent.suite.paths import pattern_of
from agent.suite.problem import Problem
from agent.suite.select import Facts, chosen
from agent.suite.sources import Say, known_sources, source_named
from agent.suite.suitefile import LimitsOverride, PathEntry, SuiteFile
from agent.suite.yamlfile import Document, Key, check, read

AnyProblem = OwnProblem | Problem  # an OwnProblem's generated tests may still have to be made


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of `problems`, in the file that it was written in."""

    document: Document
    keys: tuple[Key, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What an entry gave: problems with the limits that it sets, and what was left out."""

    problems: tuple[tuple[AnyProblem, LimitsOverride], ...]
    skipped: tuple[tuple[str, str], ...] = ()


def find_suite(path: Path) -> Path:
    """The file or folder itself, else the shipped suite of that name (`demo`)."""
    if path.is_file() or (path.is_dir() and _holds_problems(path)):
        return path
    known = {p.stem: p for p in shipped("tasks").glob("*.yaml")}
    name = path.stem if path.suffix == ".yaml" else path.name
    if path.parent.name in ("", "tasks") and name in known:
        return known[name]
    raise SuiteError(
        f"{path}: no such suite{did_you_mean(name, known)}; it may be a YAML file, a folder of"
        f" problems, or one that ships: {', '.join(sorted(known))}"
    )


def _holds_problems(folder: Path) -> bool:
    return (folder / "problem.yaml").is_file() or any(folder.glob("*/problem.yaml"))


def read_suite(path: Path) -> tuple[SuiteFile, list[Entry]]:
    """A suite file with what it extends, or a folder of problems as a suite of its own."""
    if path.is_dir():
        return _folder_as_suite(path.resolve())
    data, document, entries = _merged(path.resolve(), ())
    return check(SuiteFile, Document(path, data, document.lines)), entries


def _folder_as_suite(folder: Path) -> tuple[SuiteFile, list[Entry]]:
    one = is_own(folder) or is_package(folder)
    pattern = glob.escape(str(folder)) + ("" if one else "/*")
    document = Document(folder, {"name": folder.name, "problems": [{"path": pattern}]})
    return check(SuiteFile, document), [Entry(document, ("problems", 0))]


def _merged(path: Path, above: tuple[Path, ...]) -> tuple[dict[str, Any], Document, list[Entry]]:
    """The file's keys on top of those that it extends; lists replace, mappings merge."""
    document = read(path)
    check(SuiteFile, document)
    data = dict(document.data)
    entries = [Entry(document, ("problems", i)) for i in range(len(data.get("problems") or ()))]
    parent = data.pop("extends", "")
    if not parent:
        return data, document, entries
    base = (path.parent / Path(parent).expanduser()).resolve()
    if base in (*above, path):
        raise document.error(("extends",), f"{base.name} extends itself in the end")
    if not base.is_file():
        raise document.error(("extends",), f"{base}: no such file")
    inherited, _, base_entries = _merged(base, (*above, path))
    return _over(inherited, data), document, entries or base_entries


def _over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        if isinstance(old, dict) and isinstance(value, dict):
            value = _over(old, value)
        merged[key] = value
    return merged


def load_entry(entry: Entry, strict: bool, say: Say) -> Found:
    """The problems of one entry. Raises SuiteError; strict: also for the first damaged one."""
    raw = entry.document.data
    for key in entry.keys:
        raw = raw[key]
    if "source" not in raw:
        if "path" not in raw:
            raise entry.document.error(entry.keys, "needs 'path' or 'source'")
        return _folders(entry, check(PathEntry, entry.document, entry.keys), strict)
    name = raw["source"]
    source = source_named(name) if isinstance(name, str) else None
    if source is None:
        known = known_sources()
        hint = did_you_mean(str(name), known)
        text = f"{name!r} is not a source{hint}; known: {', '.join(sorted(known))}"
        raise entry.document.error((*entry.keys, "source"), text)
    options = check(source.options, entry.document, entry.keys)
    try:
        loaded = source.load(options, entry.document.path.parent, say)
    except SuiteError as error:
        raise entry.document.error((*entry.keys, "path"), str(error)) from None
    if strict and loaded.skipped:
        raise entry.document.error(entry.keys, ": ".join(loaded.skipped[0]))
    return Found(tuple((p, options.limits) for p in loaded.problems), loaded.skipped)


def _folders(entry: Entry, options: PathEntry, strict: bool) -> Found:
    try:
        pattern = pattern_of(options.path, entry.document.path.parent)
    except SuiteError as error:
        raise entry.document.error((*entry.keys, "path"), str(error)) from None
    wild = glob.has_magic(options.path)
    found: list[tuple[Facts, AnyProblem]] = []
    skipped: list[tuple[str, str]] = []
    for folder in sorted(Path(name) for name in glob.glob(pattern, recursive=True)):
        if wild and not (folder / "problem.yaml").is_file():
            continue
        if options.ids and folder.resolve().name not in options.ids:
            continue
        try:
            problem = read_folder(folder)
        except SuiteError as error:
            if strict or not wild:
                raise
            skipped.append((folder.name, str(error)))
        else:
            found.append((_facts(problem), problem))
    if not found and not skipped:
        if options.ids:
            pattern += f" with an id of {', '.join(options.ids)}"
        raise entry.document.error((*entry.keys, "path"), f"no problem folder matches {pattern}")
    return Found(tuple((p, options.limits) for p in chosen(found, options)), tuple(skipped))


def _facts(found: AnyProblem) -> Facts:
    if isinstance(found, OwnProblem):
        return Facts(found.id, found.file.title, found.file.difficulty, found.file.tags)
    return Facts(found.id, found.title, found.difficulty, found.tags, found.extra.get("date", ""))


def read_folder(path: Path) -> AnyProblem:
    """A problem folder of either format; generated tests are not made. Raises SuiteError."""
    folder = path.parent if path.name == "problem.yaml" else path
    if not folder.is_dir():
        raise SuiteError(f"{folder}: no such problem folder")
    if is_own(folder):
        return read_own(folder)
    if is_package(folder):
        return load_package(folder)
    if _holds_problems(folder):
        raise SuiteError(f"{folder}: a folder of problems, not one; write {path}/* for all of them")
    raise SuiteError(
        f"{folder}: neither our own format (problem.yaml and statement.md) nor an ICPC/Kattis"
        " package (problem.yaml and data/)"
    )
