"""`agent view`: look inside runs in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    @app.command()
    def view(
        runs_dir: Annotated[Path, typer.Argument(help="A run, or a folder that holds runs.")],
        port: Annotated[int, typer.Option(help="Port on 127.0.0.1 (default: any free one).")] = 0,
        browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = False,
    ) -> None:
        """Serve a local page over runs: grid, filters, transcripts, submissions, verdicts.

        The page is read-only, only reachable from this machine, and its address holds a secret.
        Runs that are still being written are shown live. Ctrl-C ends it.
        """
        import webbrowser

        from agent.errors import UsageError
        from agent.report.view.server import Viewer

        if not 0 <= port < 65536:
            raise UsageError(f"--port {port}: expected a number from 0 to 65535")
        viewer = Viewer(runs_dir, port=port)
        typer.echo(f"{viewer.url}  (Ctrl-C ends it)")
        if browser:
            webbrowser.open(viewer.url)
        try:
            viewer.serve()
        except KeyboardInterrupt:
            typer.echo("")
