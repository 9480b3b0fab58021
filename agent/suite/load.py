"""Loads problems and suites, whatever their format."""

from __future__ import annotations

import asyncio
import glob
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from agent.shipped import folder as shipped
from agent.suite.digest import canonical
from agent.suite.errors import SuiteError, did_you_mean
from agent.suite.generate import Plan, make
from agent.suite.kattis.package import is_package, load_package
from agent.suite.own import OwnProblem, is_own, read_own
from agent.suite.problem import Problem
from agent.suite.select import Facts, chosen
from agent.suite.sources import Loaded, known_sources, source_named
from agent.suite.suitefile import LimitsOverride, PathEntry, SuiteFile
from agent.suite.yamlfile import Document, Key, check, read

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Suite:
    """Problems and the settings to attempt them under."""

    name: str
    path: Path
    problems: tuple[Problem, ...]
    languages: tuple[str, ...] = ("python", "cpp")  # of submissions that are accepted
    time_factors: Mapping[str, float] = field(default_factory=dict)  # by language
    sampling: Mapping[str, Any] = field(default_factory=dict)
    modes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    models: tuple[str, ...] = ()
    digest: str = ""  # of problems and settings; stable across machines
    skipped: tuple[tuple[str, str], ...] = ()  # (id or place, reason); never silently fewer


def _to_stderr(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def load_problem(path: Path, *, say: Say = _to_stderr) -> Problem:
    """One problem folder: our own format, or an ICPC/Kattis package.

    Generated tests that the cache lacks are made in a sandbox first. Must not be called inside a
    running event loop. Raises SuiteError.
    """
    found = _read_folder(path)
    if isinstance(found, Problem):
        return found
    _make_owed([found], say)
    return found.problem()


def load_suite(path: Path, *, ids: Sequence[str] = (), say: Say = _to_stderr) -> Suite:
    """A suite's YAML file, the name of one that ships (`demo`), or a folder of problems.

    ids: take only these problems. Must not be called inside a running event loop.
    Raises SuiteError: a missing file, an unknown key, no problems.
    """
    path = _find(path)
    file, entries = _read_suite(path)
    found: list[tuple[OwnProblem | Problem, LimitsOverride]] = []
    skipped: list[tuple[str, str]] = []
    for entry in entries:
        loaded = _load_entry(entry, file.strict)
        found += loaded.problems
        skipped += loaded.skipped
    if ids:
        known = {p.id for p, _ in found}
        for wanted in ids:
            if wanted not in known:
                raise SuiteError(f"{path}: no problem {wanted!r}{did_you_mean(wanted, known)}")
        found = [(p, limits) for p, limits in found if p.id in ids]
    _refuse_twice([p.id for p, _ in found], path)
    _make_owed([p for p, _ in found if isinstance(p, OwnProblem)], say)
    problems = tuple(
        _limited(_limited(p.problem() if isinstance(p, OwnProblem) else p, own), file.limits)
        for p, own in found
    )
    if not problems:
        why = f"; skipped: {skipped[0][0]}: {skipped[0][1]}" if skipped else ""
        raise SuiteError(f"{path}: no problems: nothing matches its 'problems' entries{why}")
    settings: dict[str, Any] = {
        "languages": file.languages,
        "time_factors": dict(file.limits.time_factors),
        "sampling": _given(file.sampling.model_dump()),
        "modes": {
            name: values
            for name, part in file.modes.model_dump().items()
            if (values := _given(part))
        },
    }
    return Suite(
        name=file.name or path.stem,
        path=path,
        problems=problems,
        models=file.models,
        digest=canonical({**settings, "problems": [[p.id, p.digest] for p in problems]}),
        skipped=tuple(skipped),
        **settings,
    )


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of `problems`, in the file that it was written in."""

    document: Document
    keys: tuple[Key, ...]


@dataclass(frozen=True, slots=True)
class _Found:
    problems: tuple[tuple[OwnProblem | Problem, LimitsOverride], ...]
    skipped: tuple[tuple[str, str], ...]


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value not in (None, {}, "")}


def _find(path: Path) -> Path:
    """The file, or the shipped suite of that name."""
    if path.exists():
        return path
    ours = shipped("tasks")
    known = {p.stem: p for p in ours.glob("*.yaml")}
    name = path.stem if path.suffix == ".yaml" and path.parent.name in ("", "tasks") else path.name
    if path.parent.name in ("", "tasks") and name in known:
        return known[name]
    raise SuiteError(
        f"{path}: no such suite{did_you_mean(name, known)}; it may be a YAML file, a folder of"
        f" problems, or one that ships: {', '.join(sorted(known))}"
    )


def _read_suite(path: Path) -> tuple[SuiteFile, list[Entry]]:
    if path.is_dir():
        is_one = is_own(path) or is_package(path)
        pattern = str(path.resolve()) if is_one else f"{path.resolve()}/*"
        data = {"name": path.resolve().name, "problems": [{"path": pattern}]}
        document = Document(path, data)
        return check(SuiteFile, document), [Entry(document, ("problems", 0))]
    data, document, entries = _merged(path, ())
    whole = Document(path, data, document.lines)
    return check(SuiteFile, whole), entries


def _merged(path: Path, above: tuple[Path, ...]) -> tuple[dict[str, Any], Document, list[Entry]]:
    """The file's keys on top of those that it extends; lists replace, mappings merge."""
    path = path.resolve()
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
        both = isinstance(old, dict) and isinstance(value, dict)
        merged[key] = _over(old, value) if both and isinstance(old, dict) else value
    return merged


def _load_entry(entry: Entry, strict: bool) -> _Found:
    raw = entry.document.data
    for key in entry.keys:
        raw = raw[key]
    if "source" not in raw:
        if "path" not in raw:
            raise entry.document.error(entry.keys, "needs 'path' or 'source'")
        options = check(PathEntry, entry.document, entry.keys)
        return _load_folders(entry, options, strict)
    name = raw["source"]
    source = source_named(name) if isinstance(name, str) else None
    if source is None:
        known = ", ".join(sorted(known_sources()))
        hint = did_you_mean(str(name), known_sources())
        raise entry.document.error(
            (*entry.keys, "source"), f"{name!r} is not a source{hint}; known: {known}"
        )
    asked = check(source.options, entry.document, entry.keys)
    loaded: Loaded = source.load(asked, entry.document.path.parent)
    limits = getattr(asked, "limits", LimitsOverride())
    return _Found(tuple((p, limits) for p in loaded.problems), loaded.skipped)


def _load_folders(entry: Entry, options: PathEntry, strict: bool) -> _Found:
    pattern = str(entry.document.path.parent / Path(options.path).expanduser())
    wild = glob.has_magic(options.path)
    folders = (
        sorted(Path(p) for p in glob.glob(pattern, recursive=True)) if wild else [Path(pattern)]
    )
    read_ones: list[tuple[Facts, OwnProblem | Problem]] = []
    skipped: list[tuple[str, str]] = []
    for folder in folders:
        if wild and not (folder / "problem.yaml").is_file():
            continue
        try:
            found = _read_folder(folder)
        except SuiteError as error:
            if strict or not wild:
                raise
            skipped.append((folder.name, str(error)))
            continue
        read_ones.append((_facts(found), found))
    if not read_ones and not skipped:
        raise entry.document.error((*entry.keys, "path"), f"no problem folder matches {pattern}")
    left = chosen(read_ones, options)
    return _Found(tuple((p, options.limits) for p in left), tuple(skipped))


def _facts(found: OwnProblem | Problem) -> Facts:
    if isinstance(found, OwnProblem):
        file = found.file
        return Facts(found.id, file.title, file.difficulty, file.tags)
    return Facts(found.id, found.title, found.difficulty, found.tags, found.extra.get("date", ""))


def _refuse_twice(ids: Iterable[str], path: Path) -> None:
    seen: set[str] = set()
    for id_ in ids:
        if id_ in seen:
            raise SuiteError(f"{path}: two problems have the id {id_!r}")
        seen.add(id_)


def _limited(problem: Problem, override: LimitsOverride) -> Problem:
    limits = override.applied(problem.limits)
    if limits == problem.limits:
        return problem
    digest = canonical({"problem": problem.digest, "limits": asdict(limits)})
    return replace(problem, limits=limits, digest=digest)


def _read_folder(path: Path) -> OwnProblem | Problem:
    folder = path.parent if path.name == "problem.yaml" else path
    if not folder.is_dir():
        raise SuiteError(f"{folder}: no such problem folder")
    if is_own(folder):
        return read_own(folder)
    if is_package(folder):
        return load_package(folder)
    raise SuiteError(
        f"{folder}: neither our own format (problem.yaml and statement.md) nor an ICPC/Kattis"
        " package (problem.yaml and data/)"
    )


def _make_owed(problems: Sequence[OwnProblem], say: Say) -> None:
    owed = [plan for problem in problems for plan in problem.owed()]
    if owed:
        asyncio.run(_make(owed, say))


async def _make(owed: Sequence[Plan], say: Say) -> None:
    from agent.sandbox.backends import open_backend

    say(f"making {len(owed)} generated tests (once; they are cached)")
    backend = await open_backend("auto", say=lambda text: None)
    try:
        await make(owed, backend)
    except* SuiteError as group:
        raise group.exceptions[0] from None
    finally:
        await backend.close()
