"""Problems as rows and as text, for people and for scripts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from agent.suite.entries import AnyProblem
from agent.suite.own import OwnProblem
from agent.suite.problem import Checker, Problem, coverage_of


def row_of(found: AnyProblem) -> dict[str, Any]:
    """What is known of a problem before its tests are made."""
    if isinstance(found, OwnProblem):
        file, tests = found.file, len(found.written) + len(found.plans)
        time_s, tags = file.limits.time_s, file.tags
        title, difficulty = file.title, str(file.difficulty)
    else:
        title, difficulty, tags = found.title, found.difficulty, found.tags
        time_s, tests = found.limits.time_s, len(found.tests)
    return {
        "id": found.id,
        "title": title,
        "difficulty": difficulty,
        "tags": tags,
        "time_s": time_s,
        "tests": tests,
    }


def details_of(problem: Problem) -> dict[str, Any]:
    """A problem as JSON, less the content of its tests."""
    comparator = problem.comparator
    if isinstance(comparator, Checker):
        names = [path.name for path in comparator.files]
        judged: dict[str, Any] = {**asdict(comparator), "files": names}
    else:
        judged = asdict(comparator)
    return {
        "id": problem.id,
        "title": problem.title,
        "difficulty": problem.difficulty,
        "tags": problem.tags,
        "source": problem.source,
        "kind": problem.kind,
        "function": problem.function,
        "limits": asdict(problem.limits),
        "judged_by": judged,
        "digest": problem.digest,
        "tests": [
            {
                "name": t.name,
                "input_bytes": t.input.size,
                "coverage": coverage_of(t.input.size),
                "sample": t.sample,
            }
            for t in problem.tests
        ],
        "references": [
            {"name": r.name, "language": r.language, "expected": r.expected}
            for r in problem.references
        ],
        "statement": problem.statement,
        **problem.extra,
    }


def as_text(problem: Problem) -> str:
    """A page about a problem."""
    limits = problem.limits
    derived = " (no limit is declared: a default)" if limits.time_derived else ""
    how = problem.comparator
    judged = f"checker ({how.kind}, {how.language})" if isinstance(how, Checker) else _tokens(how)
    lines = [
        f"{problem.id}: {problem.title}",
        f"{problem.difficulty or 'difficulty unknown'}; {problem.kind}; {', '.join(problem.tags)}",
        f"limits: {limits.time_s:g} s CPU{derived}, {limits.memory_bytes >> 20} MiB",
        f"judged by: {judged}",
        f"digest: {problem.digest}",
        "",
        problem.statement,
        "",
        f"{'test':<24} {'input':>9}  coverage",
    ]
    for test in problem.tests:
        mark = "  sample" if test.sample else ""
        size = test.input.size
        lines.append(f"{test.name:<24} {size:>9}  < 10^{coverage_of(size)}{mark}")
    for reference in problem.references:
        expected = " or ".join(reference.expected)
        lines.append(f"reference {reference.name} ({reference.language}): {expected}")
    return "\n".join(lines) + "\n"


def _tokens(how: Any) -> str:
    parts = ["tokens"]
    if how.float_abs is not None:
        parts.append(f"absolute error {how.float_abs:g}")
    if how.float_rel is not None:
        parts.append(f"relative error {how.float_rel:g}")
    if not how.case_sensitive:
        parts.append("case ignored")
    if how.space_sensitive:
        parts.append("spaces count")
    return ", ".join(parts)


def counted(skipped: Iterable[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    """What was left out, by reason, most frequent first."""
    by_reason: dict[str, list[str]] = {}
    for place, reason in skipped:
        by_reason.setdefault(reason, []).append(place)
    return sorted(by_reason.items(), key=lambda item: -len(item[1]))
