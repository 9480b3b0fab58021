"""`agent tasks check`: declared against judged verdicts, problem by problem."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import typer

from agent.judge.check import Row, check_references
from agent.judge.judge import Judge, open_judge
from agent.sandbox.backends import open_backend
from agent.suite.generate import Plan, changed
from agent.suite.load import Suite
from agent.suite.problem import Problem


def run_check(suite: Suite, generated: Sequence[Plan], sandbox: str, as_json: bool) -> bool:
    """Judges every reference and prints a table as results come in; whether all is as declared.

    generated: tests that are made a second time, to see that their generators are deterministic.
    """
    return asyncio.run(_check(suite, generated, sandbox, as_json))


async def _check(suite: Suite, generated: Sequence[Plan], sandbox: str, as_json: bool) -> bool:
    backend = await open_backend(sandbox, say=lambda text: typer.echo(text, err=True))
    try:
        unstable = await changed(generated, backend)
        for text in unstable:
            typer.echo(text, err=True)
        judge = await open_judge(backend, owner="check")
        try:
            return await _report(suite, judge, as_json) and not unstable
        finally:
            await judge.close()
    finally:
        await backend.close()


async def _report(suite: Suite, judge: Judge, as_json: bool) -> bool:
    gate = asyncio.Semaphore(2 * judge.workers)  # problems whose tests are in memory at once

    async def one(problem: Problem) -> tuple[Problem, list[Row]]:
        async with gate:
            return problem, await check_references(judge, problem)

    tasks = [asyncio.create_task(one(problem)) for problem in suite.problems]
    everything: list[tuple[Problem, list[Row]]] = []
    try:
        for task in tasks:
            problem, rows = await task
            everything.append((problem, rows))
            if not as_json:
                _print(problem, rows)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return _summary(everything, as_json)


def complaints(problem: Problem, rows: Sequence[Row]) -> list[str]:
    """What is wrong with a problem of our own beyond single rows."""
    if "format" in problem.extra or not rows:
        return []
    if not any(row.judged == "AC" for row in rows):
        return ["no reference solves it"]
    return []


def _print(problem: Problem, rows: Sequence[Row]) -> None:
    limit = f"{rows[0].limit_s:g} s" if rows else f"{problem.limits.time_s:g} s"
    derived = ", derived" if problem.limits.time_derived else ""
    typer.echo(f"{problem.id} ({limit}{derived})")
    if not rows:
        typer.echo("  no references")
    for row in rows:
        expected = "|".join(row.expected)
        mark = "ok " if row.agrees else "-- " if row.judged is None else "NOT"
        judged = row.judged or "not judged"
        line = f"  {mark} {expected:<12} {judged:<10} {row.slowest_s:>7.2f} s  {row.language:<8}"
        where = f" at {row.failed_test}" if row.failed_test else ""
        typer.echo(f"{line} {row.reference}{where}")
        if row.judged is None:
            typer.echo(f"      {row.note.split(';')[0].split(',')[0]}")
        elif row.note and not row.agrees:
            typer.echo(f"      {' '.join(row.note.split())[:300]}")
    for text in complaints(problem, rows):
        typer.echo(f"  NOT {text}")


def _summary(everything: Sequence[tuple[Problem, list[Row]]], as_json: bool) -> bool:
    rows = [row for _, found in everything for row in found]
    judged = [row for row in rows if row.judged is not None]
    wrong = [row for row in judged if not row.agrees]
    other = {p.id: texts for p, found in everything if (texts := complaints(p, found))}
    good = bool(judged) and not wrong and not other
    if as_json:
        report: dict[str, Any] = {
            "as_declared": good,
            "references": [asdict(row) for row in rows],
            "complaints": other,
        }
        typer.echo(json.dumps(report, indent=2))
        return good
    left = len(rows) - len(judged)
    typer.echo(
        f"{len(everything)} problems, {len(judged)} references judged: {len(judged) - len(wrong)}"
        f" as declared, {len(wrong)} not" + (f"; {left} could not be judged here" if left else "")
    )
    return good
