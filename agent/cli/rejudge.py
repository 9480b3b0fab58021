"""`agent rejudge`."""

from __future__ import annotations

from pathlib import Path

import typer


def register(app: typer.Typer) -> None:
    app.command("rejudge")(rejudge)


def rejudge(
    run: Path = typer.Argument(..., help="The run's folder."),
    suite: Path | None = typer.Option(
        None, "--suite", help="Where its tests are (default: as in the run's last command)."
    ),
    time_limit: str | None = typer.Option(
        None, help="CPU seconds, or a factor on each problem's own: x2."
    ),
    memory_limit: str | None = typer.Option(None, help="MiB, or a factor: x2."),
    all_tests: bool = typer.Option(False, "--all-tests", help="Go on after the first failure."),
    languages: Path | None = typer.Option(None, help="A YAML file with other languages."),
    sandbox: str = typer.Option("auto", help="auto, docker or bubblewrap."),
    workers: int | None = typer.Option(None, min=1, help="Sandboxes (default: physical cores)."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Judge a run's submissions again under other limits, without generating anything.

    New verdicts are stored beside the old ones, which stay. Prints those that changed.
    """
    import asyncio
    import json

    from agent.run.rejudge import Conditions, Limit
    from agent.run.rejudge import rejudge as start

    conditions = Conditions(
        time=Limit.parse(time_limit, "--time-limit") if time_limit else None,
        memory=Limit.parse(memory_limit, "--memory-limit") if memory_limit else None,
        all_tests=all_tests,
        languages=languages,
        sandbox=sandbox,
        workers=workers,
    )
    found = asyncio.run(start(run, suite, conditions, lambda text: typer.echo(text, err=True)))
    if as_json:
        typer.echo(json.dumps(found.as_json()))
    else:
        for one in found.changes:
            typer.echo(
                f"{one.problem}: {one.before} -> {one.after}"
                f" (submission {one.submission[:12]}, attempts: {one.attempts})"
            )
        typer.echo(f"{run}: {found.judged} judged again, {len(found.changes)} verdicts changed")
    if found.failed:
        typer.echo(f"agent: {found.failed} submissions could not be judged", err=True)
        raise typer.Exit(1)
