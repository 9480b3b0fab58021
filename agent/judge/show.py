"""A judgement for a person, and for a script."""

from __future__ import annotations

from typing import Any

from agent.judge.verdict import Judgement, Verdict
from agent.suite.problem import Problem

_STYLE = {Verdict.AC: "green", Verdict.SK: "dim", Verdict.TLE: "yellow", Verdict.MLE: "yellow"}


def as_json_object(problem: Problem, judgement: Judgement) -> dict[str, Any]:
    """What `agent judge --json` prints. Keys are documented in docs/judge.md."""
    return {
        "problem": problem.id,
        "verdict": judgement.verdict,
        "outcome": judgement.outcome,
        "any_wrong": judgement.any_wrong,
        "coverage": dict(judgement.coverage),
        "empty_coverages": list(judgement.empty_coverages),
        "limits": {
            "time_s": problem.limits.time_s,
            "time_derived": problem.limits.time_derived,
            "memory_bytes": problem.limits.memory_bytes,
        },
        "tests": [
            {
                "name": test.name,
                "verdict": test.verdict,
                "input_bytes": test.input_bytes,
                "cpu_s": test.cpu_s,
                "wall_s": test.wall_s,
                "peak_bytes": test.peak_bytes,
                "cpu_samples": list(test.cpu_samples),
                "message": test.message,
            }
            for test in judgement.tests
        ],
        "compile": {"output": judgement.compile_output, "cpu_s": judgement.compile_cpu_s},
        "growth": judgement.extra.get("growth"),
        "error": judgement.error,
    }


def print_table(problem: Problem, judgement: Judgement) -> None:
    """Prints the verdict of every test, and what follows from them, to stdout."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(highlight=False)
    limits = problem.limits
    derived = " (derived: the package declares none)" if limits.time_derived else ""
    console.print(
        f"{escape(problem.id)}: {len(judgement.tests)} tests,"
        f" {limits.time_s:g} s CPU{derived}, {limits.memory_bytes / 2**20:g} MiB"
    )
    if judgement.verdict is Verdict.CE:
        console.print("[red]CE[/]  does not compile")
        console.print(escape(_plain(judgement.compile_output)))
        return
    table = Table(box=None, pad_edge=False)
    for name in ("test", "verdict", "input", "CPU s", "wall s", "MiB", ""):
        table.add_column(name, justify="left" if name in ("test", "verdict", "") else "right")
    for test in judgement.tests:
        if test.verdict is Verdict.SK:
            continue
        table.add_row(
            escape(test.name),
            f"[{_STYLE.get(test.verdict, 'red')}]{test.verdict}[/]",
            str(test.input_bytes),
            f"{test.cpu_s:.3f}",
            f"{test.wall_s:.3f}",
            f"{test.peak_bytes / 2**20:.1f}",
            escape(_plain(test.message)),
        )
    console.print(table)
    skipped = sum(test.verdict is Verdict.SK for test in judgement.tests)
    if skipped:
        console.print(f"[dim]{skipped} more tests were not run (--all-tests runs them)[/]")
    known = [k for k, passed in judgement.coverage.items() if passed]
    empty = f" (no test in {', '.join(judgement.empty_coverages)})"
    console.print(
        f"coverages passed: {', '.join(known) or 'none'}"
        + (empty if judgement.empty_coverages else "")
    )
    fitted = judgement.extra.get("growth")
    if isinstance(fitted, dict):
        console.print(
            f"time grows as input length^{fitted['exponent']:.2f} ± {fitted['error']:.2f}"
        )
    style = _STYLE.get(judgement.verdict, "red")
    console.print(f"[bold {style}]{judgement.verdict}[/]  {judgement.outcome or ''}")


def _plain(text: str) -> str:
    """Without what a hostile program could say to a terminal."""
    return "".join(c if c.isprintable() or c == "\n" else "�" for c in text)
