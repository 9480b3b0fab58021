"""`agent report`: one file that answers the question."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    @app.command()
    def report(
        runs: Annotated[
            list[Path], typer.Argument(help="Run folders; several are shown together.")
        ],
        output: Annotated[
            Path | None,
            typer.Option(
                "--output",
                "-o",
                help="The HTML file (default: report.html beside the first run's data).",
            ),
        ] = None,
        json: Annotated[
            bool, typer.Option("--json", help="Print the content as JSON instead.")
        ] = False,
        markdown: Annotated[
            bool, typer.Option("--markdown", help="Print every table as Markdown instead.")
        ] = False,
        latex: Annotated[
            bool, typer.Option("--latex", help="Print every table as LaTeX instead.")
        ] = False,
        parquet: Annotated[
            Path | None,
            typer.Option(
                "--parquet",
                help="Also write every table and the attempts as Parquet into this folder.",
            ),
        ] = None,
        margin: Annotated[
            float,
            typer.Option(
                help="Margin of the equivalence test of the solve rate, in percentage points."
            ),
        ] = 5.0,
        read: Annotated[
            int, typer.Option(help="How many submissions to read for the section on behaviour.")
        ] = 2000,
        force: Annotated[
            bool,
            typer.Option(
                "--force",
                help="Show runs that differ in tests, limits or judging together; they are marked.",
            ),
        ] = False,
    ) -> None:
        """Write one self-contained HTML report on one or more runs.

        Works while a run is still going on: what is owed is said first. With --json, --markdown or
        --latex the content is printed, and HTML is written only when -o is given.
        """  # fmt: skip
        import json as json_module

        from agent.errors import UsageError
        from agent.report import render
        from agent.report.build import build
        from agent.report.combine import load
        from agent.report.read import run_file

        if sum((json, markdown, latex)) > 1:
            raise UsageError("choose one of --json, --markdown and --latex")
        if not 0 < margin <= 100:
            raise UsageError(f"--margin {margin:g}: expected percentage points between 0 and 100")
        data = load(runs, force=force)
        document = build(data, margin=margin / 100, read=read)
        if json:
            typer.echo(
                json_module.dumps(render.as_json(document), ensure_ascii=False, allow_nan=False)
            )
        elif markdown:
            typer.echo(render.markdown(document))
        elif latex:
            typer.echo(render.latex(document))
        if output is None and not (json or markdown or latex):
            output = run_file(runs[0]).parent / "report.html"
        if output is not None:
            _write(output, render.html(document))
            typer.echo(
                f"wrote {output} ({output.stat().st_size / 1e6:.1f} MB)",
                err=json or markdown or latex,
            )
        if parquet is not None:
            from agent.report.export import write_tables

            for path in write_tables(document, data, parquet):
                typer.echo(f"wrote {path}", err=json or markdown or latex)


def _write(path: Path, text: str) -> None:
    """Replaces the file in one step, so that a reader never sees half of it."""
    import os

    from agent.errors import UsageError

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror})") from error
