"""`agent models`: which models can be named, and what a name stands for."""

from __future__ import annotations

from pathlib import Path

import typer

_MODELS = typer.Option(None, "--models", help="Default: ./models.yaml.")
_JSON = typer.Option(False, "--json", help="Print JSON.")


def register(app: typer.Typer) -> None:
    group = typer.Typer(no_args_is_help=True, help="The models that models.yaml names.")
    group.command("list")(list_models)
    group.command("show")(show)
    app.add_typer(group, name="models")


def list_models(models: Path | None = _MODELS, as_json: bool = _JSON) -> None:
    """List families, checkpoints and endpoints."""
    import json

    from agent.models.registry import load_registry

    registry = load_registry(models)
    rows = registry.rows()
    if as_json:
        print(json.dumps(rows))
    elif not rows:
        where = registry.source or "no models.yaml here"
        print(f"{where}: no models; docs/models.md shows what to write")
    else:
        width = max(len(row["name"]) for row in rows)
        for row in rows:
            print(f"{row['name']:<{width}}  {row['kind']:<10}  {row['where']}")


def show(
    name: str = typer.Argument(..., help="E.g. ckpt_alpha1.5."),
    models: Path | None = _MODELS,
    as_json: bool = _JSON,
) -> None:
    """Show what a name stands for: folders, α, how it would be served."""
    import json

    from agent.models.describe import describe
    from agent.models.registry import load_registry

    facts = describe(load_registry(models).resolve(name))
    if as_json:
        print(json.dumps(facts))
        return
    for key, value in facts.items():
        if value is not None:
            print(f"{key:<14} {' '.join(value) if isinstance(value, list) else value}")
