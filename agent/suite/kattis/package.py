"""A whole package as a `Problem`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from agent.suite.digest import with_digest
from agent.suite.errors import SuiteError
from agent.suite.kattis.flags import comparator_of
from agent.suite.kattis.metadata import Metadata, read_metadata
from agent.suite.kattis.statement import read_statement, title_of
from agent.suite.kattis.submissions import read_submissions
from agent.suite.kattis.tests import read_tests
from agent.suite.kattis.validators import find_validator
from agent.suite.own import in_order
from agent.suite.problem import Checker, Problem, ProblemKind, Test, Tokens


def is_package(folder: Path) -> bool:
    """Whether the folder looks like a package."""
    return (folder / "problem.yaml").is_file() and (folder / "data").is_dir()


def load_package(folder: Path) -> Problem:
    """Reads a package. Raises SuiteError, in one line, when it cannot be judged faithfully."""
    folder = folder.resolve()
    metadata = read_metadata(folder)
    statement = read_statement(folder)
    if any((folder / "include").glob("*/*")):
        raise SuiteError(f"{folder / 'include'}: files added to submissions are not supported")
    tests = read_tests(folder, answers_optional=metadata.interactive)
    if not tests:
        raise SuiteError(f"{folder / 'data'}: no tests")
    comparator, tests = _comparator(folder, metadata, tests)
    return with_digest(
        Problem(
            id=folder.name,
            title=title_of(metadata.titles, statement, folder),
            statement=statement.text,
            limits=metadata.limits,
            tests=in_order(tests),
            comparator=comparator,
            kind=ProblemKind.INTERACTIVE if metadata.interactive else ProblemKind.STDIN,
            tags=metadata.keywords,
            source=metadata.source,
            references=read_submissions(folder),
            extra={
                "format": metadata.version,
                "time_limit_from": metadata.time_from or "derived",
                "time_multiplier": f"{metadata.time_multiplier:g}",
                **({"scoring": "all tests must pass"} if metadata.scoring else {}),
            },
        )
    )


def _comparator(
    folder: Path, metadata: Metadata, tests: list[Test]
) -> tuple[Tokens | Checker, list[Test]]:
    """The validator, and the tests with the flags that they add to it."""
    validator = find_validator(folder) if metadata.custom is not False else None
    if validator is not None:
        return replace(validator, flags=metadata.flags), tests
    if metadata.custom or metadata.interactive:
        kind = "interactive" if metadata.interactive else "validation: custom"
        raise SuiteError(
            f"{folder}: {kind}, but no output validator is there; comparing tokens instead would"
            " call right answers wrong"
        )
    try:
        kinds = {
            flags: comparator_of((*metadata.flags, *flags)) for flags in {t.flags for t in tests}
        }
    except SuiteError as error:
        raise SuiteError(f"{folder}: {error}") from None
    if len(set(kinds.values())) == 1:
        return kinds[tests[0].flags], [replace(test, flags=()) for test in tests]
    raise SuiteError(f"{folder}: its tests are compared in different ways, which is not supported")
