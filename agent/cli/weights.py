"""`agent weights`: look into checkpoints and merges."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from agent.errors import AgentError, UsageError


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        help="Compare, hash, verify and inspect checkpoints; fold a LoRA adapter into its base.",
        no_args_is_help=True,
    )
    app.add_typer(group, name="weights")
    for command in (diff, inspect, hash_, verify, lora):
        group.command(command.__name__.rstrip("_"))(command)


Folder = Annotated[Path, typer.Argument(help="A checkpoint.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def diff(
    a: Folder,
    b: Folder,
    init: Annotated[
        Path | None,
        typer.Option(help="The common start: adds the cosine of A − init and B − init."),
    ] = None,
    by: Annotated[str, typer.Option(help="Rows: layer or kind.")] = "layer",
    json: Json = False,
) -> None:
    """Show the task vector B − A: its size per layer or kind, and what bfloat16 can hold of it."""
    from dataclasses import asdict

    from agent.weights.diff import diff as compare

    if by not in ("layer", "kind"):
        raise UsageError(f"--by {by}: give layer or kind")
    rows, warnings = compare(a, b, init=init, by=by)
    if json:
        _json({"rows": [asdict(row) for row in rows], "warnings": warnings})
        return
    largest = max((row.relative for row in rows), default=0.0)
    cosine = ["cosine"] if init else []
    _table(
        [by, "elements", "‖B−A‖", "‖B−A‖/‖A‖", "changed", "below step", *cosine, ""],
        [
            [
                row.group, f"{row.elements:,}", f"{row.norm:.4g}", f"{row.relative:.3e}",
                f"{row.changed:.1%}", f"{row.below_step:.1%}",
                *([f"{row.cosine:.4f}" if row.cosine is not None else "–"] if init else []),
                "█" * round(20 * row.relative / largest) if largest else "",
            ]
            for row in rows
        ],
    )  # fmt: skip
    for line in warnings:
        typer.echo(f"warning: {line}")


def inspect(folder: Folder, json: Json = False) -> None:
    """Show what a checkpoint is; of a merge also the effective α of every layer."""
    from agent.weights.checkpoint import open_checkpoint, read_json
    from agent.weights.identity import checkpoint_identity

    checkpoint = open_checkpoint(folder)
    identity = dict(checkpoint_identity(folder))
    theta = read_json(folder / "theta.json")
    dtypes = sorted({tensor.dtype for tensor in checkpoint.tensors.values()})
    if json:
        _json({"identity": identity, "dtypes": dtypes, "theta": theta or None})
        return
    typer.echo(
        f"{folder}: {len(checkpoint.tensors)} tensors ({', '.join(dtypes)}), "
        f"{checkpoint.nbytes / 1e9:.2f} GB in {len(checkpoint.shards)} files, "
        f"{'tied' if checkpoint.tied else 'untied'} head"
    )
    for key in ("weights", "config", "tokenizer", "chat_template"):
        typer.echo(f"{key}: {identity[key]}")
    if not theta:
        return
    typer.echo(f"θ = {theta['formula']}, rounding {theta['rounding']}, made {theta['created']}")
    for source in theta["inputs"]:
        typer.echo(f"input: {source['path']} ({source['weights'][:16]})")
    for line in theta.get("warnings", ()):
        typer.echo(f"warning: {line}")
    alpha = theta["alpha"]
    _table(
        ["layer", "effective α", "noise/step", "‖step‖/‖A‖", "changed"],
        [
            [
                layer, "–" if alpha is None else f"{alpha * row['gain']:.4f}",
                f"{row['noise']:.3f}", f"{row['relative_step']:.3e}", f"{row['changed']:.1%}",
            ]
            for layer, row in theta["effects"].items()
        ],
    )  # fmt: skip


def hash_(folder: Folder, json: Json = False) -> None:
    """Print the SHA-256 of all tensors; the same whatever the sharding."""
    from agent.weights.identity import content_hash

    value = content_hash(folder)
    if json:
        _json({"folder": str(folder), "sha256": value})
    else:
        typer.echo(f"{value}  {folder}")


def verify(
    folder: Annotated[Path, typer.Argument(help="A merged checkpoint.")],
    inputs: Annotated[
        list[Path] | None, typer.Argument(help="Its inputs, when they have moved.")
    ] = None,
    share: Annotated[float, typer.Option(min=0.0, max=1.0, help="Of every tensor.")] = 0.01,
    every: Annotated[bool, typer.Option("--all", help="Recompute every element.")] = False,
    json: Json = False,
) -> None:
    """Recompute a sample of a merged checkpoint from its inputs and compare bit by bit."""
    from dataclasses import asdict

    from agent.weights.verify import verify as recompute

    result = recompute(folder, inputs, share=1.0 if every else share)
    if json:
        _json(asdict(result))
    else:
        typer.echo(f"{folder}: {result.elements:,} elements of {result.tensors} tensors recomputed")
    if result.wrong:
        more = f" (and {len(result.wrong) - 1} more)" if len(result.wrong) > 1 else ""
        raise AgentError(f"{folder}: {result.wrong[0]}{more}")


def lora(
    base: Annotated[Path, typer.Argument(help="The model that the adapter was trained on.")],
    adapter: Annotated[Path, typer.Argument(help="A LoRA adapter.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write.")],
    strength: Annotated[float, typer.Option(help="Times the adapter's own scale.")] = 1.0,
) -> None:
    """Fold a LoRA adapter into its base: linear in the adapter's delta."""
    from agent.weights.lora import fold_adapter

    count = fold_adapter(base, adapter, output, strength=strength)
    typer.echo(f"{output}: {count} tensors changed")


def _json(value: Any) -> None:
    import json

    typer.echo(json.dumps(value, indent=2, ensure_ascii=False))


def _table(header: list[str], rows: list[list[str]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for i, title in enumerate(header):
        table.add_column(title, justify="left" if i in (0, len(header) - 1) else "right")
    for row in rows:
        table.add_row(*row)
    # A pipe has no width of its own; names must not be cut there.
    Console(width=None if sys.stdout.isatty() else 160).print(table)
