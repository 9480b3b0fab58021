"""`agent replay`."""

from __future__ import annotations

from pathlib import Path

import typer


def register(app: typer.Typer) -> None:
    app.command("replay")(replay)


def replay(
    run: Path = typer.Argument(..., help="The run's folder."),
    attempt: int = typer.Argument(..., help="The attempt's number."),
    as_json: bool = typer.Option(False, "--json", help="Everything stored, as one JSON object."),
) -> None:
    """Print what happened in one attempt: prompt, thoughts, calls, results, submission."""
    import json

    from agent.modes.replay import read_attempt, readable

    found = read_attempt(run, attempt)
    if as_json:
        print(json.dumps(found))  # ASCII: a model may have written what no terminal encodes
        return
    from rich.console import Console
    from rich.rule import Rule
    from rich.text import Text

    from tools.text import readable as printable

    console = Console(highlight=False, soft_wrap=True)
    console.print(
        Text(
            f"{found['problem']}, sample {found['sample']}: {found['model']} in mode"
            f" {found['mode']}, seed {found['seed']}: {found['outcome'] or 'not judged yet'}"
            f" ({found['verdict'] or found['end']})"
        )
    )
    for heading, text in readable(found["transcript"]):
        console.print(Rule(Text(heading), align="left"))
        console.print(Text(printable(text)))
