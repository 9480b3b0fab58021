"""`agent status`: how far runs are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table


def register(app: typer.Typer) -> None:
    @app.command()
    def status(
        runs: Annotated[list[Path], typer.Argument(help="Run folders.")],
        json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
        watch: Annotated[
            bool, typer.Option("--watch", help="Refresh every two seconds until all is done.")
        ] = False,
    ) -> None:
        """Show the grid of models and modes: planned, done, owed, solved, errors, time left.

        Reads the run's file only, so it works from another terminal while the run is going on.
        """
        import json as json_module
        import time
        from dataclasses import asdict

        from rich.console import Console
        from rich.live import Live

        from agent.report.status import status as read

        if json:
            cells = [{**asdict(c), "owed": c.owed} for c in read(runs)]
            totals = {key: sum(c[key] for c in cells) for key in ("planned", "done", "owed")}
            typer.echo(json_module.dumps({**totals, "cells": cells}, ensure_ascii=False))
            return
        console = Console()
        if not console.is_terminal:
            console = Console(width=160)  # a file or a pipe has no edge
        if not (watch and console.is_terminal):
            console.print(_table(runs))
            return
        with Live(_table(runs), console=console, auto_refresh=False) as live:
            while any(cell.owed for cell in read(runs)):
                time.sleep(2)
                live.update(_table(runs), refresh=True)


def _table(runs: list[Path]) -> Table:
    from rich.table import Table
    from rich.text import Text

    from agent.report.status import duration
    from agent.report.status import status as read

    cells = read(runs)
    planned, done = sum(c.planned for c in cells), sum(c.done for c in cells)
    title = f"{done:,} of {planned:,} attempts done, {planned - done:,} owed"
    table = Table(title=title, title_justify="left", header_style="bold", pad_edge=False, box=None)
    table.padding = (0, 1, 0, 0)
    table.caption = (
        "wrong: correctness failures; slow: optimization failures; none: no submission;"
        " errors: of the infrastructure, retried"
    )
    table.caption_justify = "left"
    heads = ("planned", "done", "owed", "solved", "wrong", "slow", "none", "errors")
    several = len({c.run for c in cells}) > 1
    for head in (*(["run"] if several else []), "model", "mode"):
        table.add_column(head, no_wrap=True)
    for head in (*heads, "left"):
        table.add_column(head, justify="right", no_wrap=True)
    for c in cells:
        numbers = (
            c.planned, c.done, c.owed, c.solved, c.correctness_failures, c.optimization_failures,
            c.no_submission, c.errors,
        )  # fmt: skip
        names = [Text(name) for name in (*([c.run] if several else []), c.model, c.mode)]
        table.add_row(*names, *(f"{n:,}" for n in numbers), duration(c.eta_s))
    return table
