"""`agent clean`: removes what killed runs left behind."""

from __future__ import annotations

import asyncio

import typer


def register(app: typer.Typer) -> None:
    app.command("clean")(clean)


def clean(
    as_json: bool = typer.Option(False, "--json", help="Print a JSON list of what was removed."),
) -> None:
    """Remove containers, cgroups and temporary folders whose owner is dead."""
    import json

    from agent.sandbox.reaper import clean as remove_leftovers

    removed = asyncio.run(remove_leftovers())
    if as_json:
        typer.echo(json.dumps(removed))
        return
    for line in removed:
        typer.echo(f"removed {line}")
    if not removed:
        typer.echo("nothing to clean")
