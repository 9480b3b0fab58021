"""`agent sweep`."""

from __future__ import annotations

from pathlib import Path

import typer

from agent.cli.run import finish


def register(app: typer.Typer) -> None:
    app.command("sweep")(sweep)


def sweep(
    file: Path = typer.Argument(..., metavar="SWEEP.yaml", help="Family, alphas, modes, suite, n."),
    out: Path = typer.Option(..., "--out", help="The run's folder; re-issue to resume."),
    sandbox: str = typer.Option("auto", "--sandbox", help="auto, docker or bubblewrap."),
    all_tests: bool = typer.Option(False, "--all-tests", help="Judge every test."),
    concurrency: int = typer.Option(16, min=1, help="Attempts in flight at once."),
    judges: int | None = typer.Option(None, min=1, help="Judge workers (default: cores)."),
    seed: int | None = typer.Option(None, help="Run seed (default: suite's, else 0)."),
    shard: str = typer.Option("1/1", help="Only part i of N, e.g. 3/16; join them afterwards."),
    as_json: bool = typer.Option(False, "--json", help="Print the summary as JSON."),
) -> None:
    """Run every member of a family in every mode, one alpha after the other."""
    from agent.run.sweep import build_sweep

    request = build_sweep(
        file,
        out=out,
        seed=seed,
        sandbox=sandbox,
        all_tests=all_tests,
        concurrency=concurrency,
        judges=judges,
        shard=shard,
    )
    finish(request, as_json=as_json)
