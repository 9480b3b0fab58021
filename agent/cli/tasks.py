"""`agent tasks`: look at suites and problems, and judge the solutions that ship with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

SuitePath = Annotated[
    Path, typer.Argument(help="A suite (YAML), a problem folder, or a shipped name: demo.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Only = Annotated[
    list[str] | None, typer.Option("--problem", "-p", help="Only this problem; repeat for more.")
]


def register(app: typer.Typer) -> None:
    tasks = typer.Typer(
        help="Look at suites and problems; judge their reference solutions.", no_args_is_help=True
    )
    for verb in (list_, show, check, stats, import_, hash_, schema):
        tasks.command(verb.__name__.rstrip("_"))(verb)
    app.add_typer(tasks, name="tasks")


def list_(suite: SuitePath, as_json: AsJson = False) -> None:
    """List a suite's problems. Makes no tests and needs no sandbox."""
    from agent.suite.load import draft
    from agent.suite.overview import row_of

    read = draft(suite)
    rows = [row_of(problem) for problem, _ in read.problems]
    if as_json:
        typer.echo(json.dumps({"problems": rows, "skipped": read.skipped}, indent=2))
        return
    width = max(len(str(row["id"])) for row in rows)
    for row in rows:
        tests = f"{row['tests']:>5} tests"
        typer.echo(f"{row['id']:<{width}}  {row['difficulty']:<7} {tests}  {row['title']}")
    _echo_skipped(read.skipped)


def show(
    suite: SuitePath,
    problem: Only = None,
    as_json: AsJson = False,
) -> None:
    """Show problems whole: statement, limits, tests, references."""
    from agent.suite.load import load_suite
    from agent.suite.overview import as_text, details_of

    loaded = load_suite(suite, ids=problem or ())
    if as_json:
        typer.echo(json.dumps([details_of(p) for p in loaded.problems], indent=2))
        return
    for found in loaded.problems:
        typer.echo(as_text(found))


def stats(
    suite: SuitePath,
    n: Annotated[int, typer.Option("-n", min=1, help="Attempts of each problem.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Count problems, tests and bytes, and the tests in each nested coverage."""
    from agent.suite.load import load_suite
    from agent.suite.stats import stats_of

    loaded = load_suite(suite)
    found = stats_of(loaded.problems, n)
    if as_json:
        typer.echo(json.dumps({**found.as_json(), "skipped": loaded.skipped}, indent=2))
        return
    kinds = ", ".join(f"{count} {name}" for name, count in found.difficulties.items())
    typer.echo(f"{loaded.name}: {found.problems} problems ({kinds})")
    typer.echo(
        f"{found.tests} tests, {found.samples} of them samples;"
        f" {_bytes(found.input_bytes)} of input, {_bytes(found.answer_bytes)} of answers"
    )
    typer.echo(f"\n{'coverage':<10} {'tests':>8} {'added':>8} {'problems':>9} {'input':>10}")
    for c in found.coverages:
        typer.echo(
            f"{c.label:<10} {c.tests:>8} {c.added:>8} {c.problems:>9} {_bytes(c.input_bytes):>10}"
        )
    least, most = _time(found.judge_s_least), _time(found.judge_s_most)
    typer.echo(
        f"\njudging {n} attempt(s) of each: between {least} (all pass at once) and {most}"
        " (every test takes its whole limit) of one core"
    )
    _echo_skipped(loaded.skipped)


def hash_(suite: SuitePath, as_json: AsJson = False) -> None:
    """Print the content hash of a suite and of each problem; the same on every machine."""
    from agent.suite.load import load_suite

    loaded = load_suite(suite)
    problems = {p.id: p.digest for p in loaded.problems}
    if as_json:
        typer.echo(json.dumps({"suite": loaded.digest, "problems": problems}, indent=2))
        return
    typer.echo(f"{loaded.digest}  {loaded.name}")
    for name, digest in problems.items():
        typer.echo(f"{digest}  {name}")


def schema(
    problem: Annotated[
        bool, typer.Option("--problem", help="Of our problem.yaml instead of a suite.")
    ] = False,
) -> None:
    """Print a JSON Schema, for editors that complete and check YAML."""
    from agent.suite.schema import problem_schema, suite_schema

    typer.echo(json.dumps(problem_schema() if problem else suite_schema(), indent=2))


def import_(
    path: Annotated[str, typer.Argument(help="A data file, a glob, hf://…, or a folder.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The suite's YAML file to write.")],
    source: Annotated[
        str | None, typer.Option(help="livecodebench, codecontests, …; told by the data if absent.")
    ] = None,
) -> None:
    """Write a suite for data that you have; say what is in it and what cannot be judged."""
    from agent.errors import UsageError
    from agent.suite.importing import suite_text
    from agent.suite.load import load_suite

    if out.exists():
        raise UsageError(f"{out}: exists already; choose another --out")
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(suite_text(path, source, out.parent))
    try:
        loaded = load_suite(out)
    except BaseException:
        out.unlink()
        raise
    tests = sum(len(p.tests) for p in loaded.problems)
    typer.echo(f"{out}: {len(loaded.problems)} problems, {tests} tests")
    _echo_skipped(loaded.skipped)


def check(
    suite: SuitePath,
    problem: Only = None,
    sandbox: Annotated[str, typer.Option(help="auto, docker or bubblewrap.")] = "auto",
    as_json: AsJson = False,
) -> None:
    """Judge every reference solution; exit 1 when one is not judged as declared.

    Solutions of a package are judged in the package's own order of tests, others in order of
    input length. One test of each generator is made again: it must come out the same.
    """
    from agent.cli.tasks_check import run_check
    from agent.suite.load import draft, finish
    from agent.suite.own import OwnProblem

    read = draft(suite, ids=problem or (), for_attempts=False)
    loaded = finish(read)
    _echo_skipped(loaded.skipped)
    own = [found for found, _ in read.problems if isinstance(found, OwnProblem)]
    firsts = [next((p for p in found.plans if p.recipe), None) for found in own]
    if not run_check(loaded, [p for p in firsts if p is not None], sandbox, as_json):
        raise typer.Exit(1)


def _echo_skipped(skipped: tuple[tuple[str, str], ...]) -> None:
    """What was left out: each reason with its count and the first example."""
    from agent.suite.overview import counted

    for reason, places in counted(skipped):
        more = f" and {len(places) - 1} more" if len(places) > 1 else ""
        typer.echo(f"skipped {places[0]}{more}: {reason}", err=True)


def _bytes(count: int) -> str:
    value = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            break
        value /= 1000
    return f"{value:.0f} {unit}" if value >= 10 or unit == "B" else f"{value:.1f} {unit}"


def _time(seconds: float) -> str:
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s"
