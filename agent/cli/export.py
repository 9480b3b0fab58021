"""`agent export`: attempts as a table for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    @app.command()
    def export(
        runs: Annotated[list[Path], typer.Argument(help="Run folders.")],
        parquet: Annotated[bool, typer.Option("--parquet", help="Write Parquet.")] = False,
        csv: Annotated[bool, typer.Option("--csv", help="Write CSV.")] = False,
        jsonl: Annotated[bool, typer.Option("--jsonl", help="Write JSON lines.")] = False,
        output: Annotated[
            Path | None,
            typer.Option("--output", "-o", help="The file (CSV and JSON lines: default stdout)."),
        ] = None,
        force: Annotated[
            bool, typer.Option("--force", help="Put runs together that cannot be compared.")
        ] = False,
    ) -> None:
        """Write one row per planned attempt: outcome, verdict, rewards, tokens, times.

        Owed attempts are rows too (outcome "owed"). The columns are described in docs/report.md.
        """
        from agent.errors import UsageError
        from agent.report.combine import load
        from agent.report.export import WRITERS, write_parquet

        if sum((parquet, csv, jsonl)) != 1:
            raise UsageError("choose one of --parquet, --csv and --jsonl")
        if parquet and output is None:
            raise UsageError("--parquet needs -o FILE")
        data = load(runs, force=force)
        if parquet and output is not None:
            write_parquet(data, output)
        elif output is None:
            import sys

            WRITERS["csv" if csv else "jsonl"](data, sys.stdout)
        else:
            try:
                with output.open("w", encoding="utf-8", newline="") as out:
                    WRITERS["csv" if csv else "jsonl"](data, out)
            except OSError as error:
                raise UsageError(f"{output}: cannot be written ({error.strerror})") from error
        if output is not None:
            typer.echo(f"wrote {output}: {len(data.attempts):,} attempts")
