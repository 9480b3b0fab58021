"""`agent doctor`."""

from __future__ import annotations

import typer


def register(app: typer.Typer) -> None:
    app.command("doctor")(doctor)


def doctor(as_json: bool = typer.Option(False, "--json", help="Print JSON.")) -> None:
    """Say what is here (sandboxes, compilers, vLLM, GPU) and what to do about what is not."""
    from agent import doctor as room

    findings = room.examine()
    if as_json:
        import json

        print(json.dumps(room.as_json(findings), indent=2))
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in ("part", "state", "detail", "advice"):
        table.add_column(heading, overflow="fold")
    colours = {"ok": "green", "weaker": "yellow", "absent": "red"}
    for finding in findings:
        state = f"[{colours[finding.state]}]{finding.state}[/]"
        table.add_row(finding.part, state, escape(finding.detail), escape(finding.advice))
    Console().print(table)
