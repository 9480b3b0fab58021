"""`agent images`: the sandboxes' Docker images."""

from __future__ import annotations

import typer


def register(app: typer.Typer) -> None:
    images = typer.Typer(help="The Docker images of the sandboxes.", no_args_is_help=True)
    images.command("build")(build)
    app.add_typer(images, name="images")


def build(
    names: list[str] = typer.Argument(None, help="judge, workspace; both when left out."),
    again: bool = typer.Option(False, "--again", help="Build even if the image is up to date."),
) -> None:
    """Build the images that are missing or stale. Needs a Docker daemon."""
    from agent.errors import UsageError
    from agent.sandbox import images
    from agent.sandbox.docker import connect

    unknown = [name for name in names or () if name not in images.NAMES]
    if unknown:
        raise UsageError(f"no image {unknown[0]!r}: one of {', '.join(images.NAMES)}")
    client = connect()
    for name in names or images.NAMES:
        typer.echo(images.build(client, name, typer.echo, again=again))
