"""Judges a problem's own solutions against the verdicts that they are declared to get."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from agent.judge.judge import Judge
from agent.judge.languages import LanguageError, Program
from agent.judge.verdict import Judgement, Verdict
from agent.suite.problem import Problem, Reference, Test

# ICPC packages know fewer verdicts: what theirs cover.
_PACKAGE = {
    Verdict.MLE: ("MLE", "RE"),
    Verdict.OLE: ("OLE", "RE", "WA"),
    Verdict.ILE: ("ILE", "TLE"),
    Verdict.CE: ("CE",),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One solution. `judged` None: it could not be judged here (`note` says why)."""

    problem: str
    reference: str
    language: str
    expected: tuple[str, ...]
    judged: Verdict | None
    agrees: bool
    limit_s: float
    slowest_s: float = 0.0  # CPU time of its slowest test that was run
    failed_test: str = ""
    note: str = ""


async def check_references(judge: Judge, problem: Problem) -> list[Row]:
    """One row for each of `problem.references`, in their order.

    Solutions of a package are judged in the package's own order of tests (samples, then by name),
    as its authors did; ours in order of input length. Where a package declares no time limit, it
    is derived first: max(1, ceil(multiplier × slowest accepted solution)).
    """
    is_package = "format" in problem.extra
    if is_package:
        problem = replace(problem, tests=_package_order(problem.tests))
    known: Mapping[str, Judgement] = {}
    if problem.limits.time_derived:
        problem, known = await _with_limit(judge, problem, is_package)
    return await asyncio.gather(
        *(
            _row(judge, problem, reference, is_package, known.get(reference.name))
            for reference in problem.references
        )
    )


def _package_order(tests: Sequence[Test]) -> tuple[Test, ...]:
    return tuple(sorted(tests, key=lambda test: (not test.sample, test.name)))


async def _with_limit(
    judge: Judge, problem: Problem, is_package: bool
) -> tuple[Problem, dict[str, Judgement]]:
    """The problem with its derived limit, and what the accepted solutions got on the way."""
    accepted = [r for r in problem.references if r.expected == ("AC",)]
    found: dict[str, Judgement] = {}
    for reference in accepted:
        try:
            judgement = await _judge(judge, problem, reference, is_package)
        except (LanguageError, OSError):
            continue
        if judgement.verdict is Verdict.AC:
            found[reference.name] = judgement
    slowest = max((t.cpu_s for j in found.values() for t in j.tests), default=0.0)
    factor = float(problem.extra.get("time_multiplier", "5"))
    limit = float(max(1, math.ceil(factor * slowest)))
    return replace(problem, limits=replace(problem.limits, time_s=limit)), found


async def _row(
    judge: Judge,
    problem: Problem,
    reference: Reference,
    is_package: bool,
    known: Judgement | None,
) -> Row:
    row = Row(
        problem=problem.id,
        reference=reference.name,
        language=reference.language,
        expected=reference.expected,
        judged=None,
        agrees=False,
        limit_s=problem.limits.time_s,
    )
    try:
        judgement = known or await _judge(judge, problem, reference, is_package)
    except (LanguageError, OSError) as error:
        return replace(row, note=" ".join(str(error).split()))
    failed = next((t for t in judgement.tests if t.verdict not in (Verdict.AC, Verdict.SK)), None)
    early = next(
        (
            t
            for t in judgement.tests
            if t.input_bytes < (reference.passes_below or 0) and t.verdict is not Verdict.AC
        ),
        None,
    )
    names = _PACKAGE.get(judgement.verdict, ()) if is_package else ()
    agrees = any(name in reference.expected for name in (judgement.verdict.value, *names))
    note = failed.message if failed else judgement.error
    if judgement.verdict is Verdict.CE:
        note = judgement.compile_output[:300]
    if agrees and early is not None:
        agrees = False
        note = (
            f"test {early.name} ({early.input_bytes} bytes) must pass: its input is shorter than"
            f" {reference.passes_below} bytes"
        )
    return replace(
        row,
        judged=judgement.verdict,
        agrees=agrees,
        slowest_s=max((t.cpu_s for t in judgement.tests), default=0.0),
        failed_test=failed.name if failed else "",
        note=note,
    )


async def _judge(
    judge: Judge, problem: Problem, reference: Reference, is_package: bool
) -> Judgement:
    program = Program.at(reference.files or (reference.path,), reference.language)
    return await judge.judge(problem, program, in_order=is_package, explain=True)
