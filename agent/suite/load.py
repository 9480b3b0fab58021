"""Loads problems and suites, whatever their format."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from agent.suite.digest import canonical
from agent.suite.entries import AnyProblem, find_suite, load_entry, read_folder, read_suite
from agent.suite.errors import SuiteError, did_you_mean
from agent.suite.generate import Plan, make
from agent.suite.own import OwnProblem
from agent.suite.problem import Problem
from agent.suite.sources import Say
from agent.suite.suitefile import LimitsOverride, SuiteFile


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


@dataclass(frozen=True, slots=True)
class Draft:
    """A suite that is read and checked; generated tests may still have to be made."""

    path: Path
    file: SuiteFile
    problems: tuple[tuple[AnyProblem, LimitsOverride], ...]
    skipped: tuple[tuple[str, str], ...]


def _to_stderr(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def load_problem(path: Path, *, say: Say = _to_stderr) -> Problem:
    """One problem folder: our own format, or an ICPC/Kattis package.

    Generated tests that the cache lacks are made in a sandbox first. Must not be called inside a
    running event loop. Raises SuiteError.
    """
    found = read_folder(path)
    if isinstance(found, Problem):
        return found
    _make_owed([found], say)
    return found.problem()


def load_suite(
    path: Path,
    *,
    ids: Sequence[str] = (),
    for_attempts: bool = True,
    say: Say = _to_stderr,
) -> Suite:
    """A suite's YAML file, the name of one that ships (`demo`), or a folder of problems.

    ids: take only these problems. for_attempts: leave out packages that can be judged but not
    attempted: the statement is only a PDF, or every test is public.
    Must not be called inside a running event loop. Raises SuiteError: a missing file, an unknown
    key, no problems.
    """
    read = draft(path, ids=ids, for_attempts=for_attempts, say=say)
    return finish(read, say=say)


def draft(
    path: Path,
    *,
    ids: Sequence[str] = (),
    for_attempts: bool = True,
    say: Say = _to_stderr,
) -> Draft:
    """Reads a suite without making generated tests. Raises SuiteError, also for no problems."""
    path = find_suite(path)
    file, entries = read_suite(path)
    found: list[tuple[AnyProblem, LimitsOverride]] = []
    skipped: list[tuple[str, str]] = []
    for entry in entries:
        loaded = load_entry(entry, file.strict, say)
        skipped += loaded.skipped
        for problem, limits in loaded.problems:
            missing = _missing_for_attempts(problem) if for_attempts else ""
            if missing:
                skipped.append((problem.id, missing))
            else:
                found.append((problem, limits))
    known = Counter(problem.id for problem, _ in found)
    for twice in (id_ for id_, count in known.items() if count > 1):
        raise SuiteError(f"{path}: two problems have the id {twice!r}")
    for wanted in ids:
        if wanted not in known:
            raise SuiteError(f"{path}: no problem {wanted!r}{did_you_mean(wanted, known)}")
    if ids:
        found = [(problem, limits) for problem, limits in found if problem.id in ids]
    if not found:
        why = f"; {len(skipped)} skipped, the first: {': '.join(skipped[0])}" if skipped else ""
        raise SuiteError(f"{path}: no problems: nothing is left of its 'problems' entries{why}")
    return Draft(path, file, tuple(found), tuple(skipped))


def _missing_for_attempts(problem: AnyProblem) -> str:
    if not problem.statement:
        return "its statement is not there as text"
    package = problem if isinstance(problem, Problem) and "format" in problem.extra else None
    if package is not None and all(test.sample for test in package.tests):
        return "it has samples, but no secret tests (are they still to be generated?)"
    return ""


def finish(read: Draft, *, say: Say = _to_stderr) -> Suite:
    """Makes the tests that are owed, and the suite."""
    _make_owed([p for p, _ in read.problems if isinstance(p, OwnProblem)], say)
    problems = tuple(
        _limited(_limited(p.problem() if isinstance(p, OwnProblem) else p, own), read.file.limits)
        for p, own in read.problems
    )
    settings: dict[str, Any] = {
        "languages": read.file.languages,
        "time_factors": dict(read.file.limits.time_factors),
        "sampling": _given(read.file.sampling.model_dump()),
        "modes": {
            name: values
            for name, part in read.file.modes.model_dump().items()
            if (values := _given(part))
        },
    }
    return Suite(
        name=read.file.name or read.path.stem,
        path=read.path,
        problems=problems,
        models=read.file.models,
        digest=canonical({**settings, "problems": [[p.id, p.digest] for p in problems]}),
        skipped=read.skipped,
        **settings,
    )


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value not in (None, {}, "")}


def _limited(problem: Problem, override: LimitsOverride) -> Problem:
    limits = override.applied(problem.limits)
    if limits == problem.limits:
        return problem
    digest = canonical({"problem": problem.digest, "limits": asdict(limits)})
    return replace(problem, limits=limits, digest=digest)


def _make_owed(problems: Sequence[OwnProblem], say: Say) -> None:
    owed = [plan for problem in problems for plan in problem.owed()]
    if owed:
        asyncio.run(_make(owed, say))


async def _make(owed: Sequence[Plan], say: Say) -> None:
    from agent.sandbox.backends import open_backend

    backend = await open_backend("auto", say=lambda text: None)
    say(f"making {len(owed)} generated tests with {backend.name} (once; they are cached)")
    try:
        await make(owed, backend)
    except* SuiteError as group:
        raise group.exceptions[0] from None
    finally:
        await backend.close()
