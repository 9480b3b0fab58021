"""`agent join`."""

from __future__ import annotations

from pathlib import Path

import typer


def register(app: typer.Typer) -> None:
    app.command("join")(join)


def join(
    runs: list[Path] = typer.Argument(..., help="Run folders, for example those of the shards."),
    out: Path = typer.Option(..., "-o", "--out", help="The united run; may already hold some."),
) -> None:
    """Unite the runs of several shards or machines into one."""
    from agent.run.join import join as unite

    planned, done, solved = unite(runs, out)
    print(f"{out}: {done}/{planned} done, {planned - done} owed, {solved} solved")
