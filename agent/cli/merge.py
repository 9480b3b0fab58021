"""`agent merge`: members of a family, or any weighted sum of checkpoints."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agent.errors import UsageError

if TYPE_CHECKING:
    from agent.weights.merge import MergeReport, Target


def register(app: typer.Typer) -> None:
    # Unknown options reach the arguments, so that `--alpha -0.5 0 -1` may list negative numbers.
    @app.command(context_settings={"ignore_unknown_options": True})
    def merge(
        arguments: Annotated[
            list[str] | None,
            typer.Argument(metavar="A B", help="The two checkpoints (none with --recipe)."),
        ] = None,
        output: Annotated[
            Path | None,
            typer.Option(
                "--output", "-o", help="The folder to write; with several α: OUT_alpha{α} each."
            ),
        ] = None,
        alpha: Annotated[
            str | None,
            typer.Option("--alpha", help="One α or several: θ = α·B + (1−α)·A.", metavar="α…"),
        ] = None,
        alphas: Annotated[
            str | None,
            typer.Option("--alphas", help="A range, both ends included.", metavar="FROM:TO:STEP"),
        ] = None,
        recipe: Annotated[
            Path | None,
            typer.Option("--recipe", help="A YAML file: weights, task vectors or a soup."),
        ] = None,
        dtype: Annotated[
            str | None,
            typer.Option(help="bfloat16, float16 or float32 (default: the inputs')."),
        ] = None,
        rounding: Annotated[
            str,
            typer.Option(help="nearest, or stochastic: keeps small steps on average."),
        ] = "nearest",
        seed: Annotated[int, typer.Option(help="Of stochastic rounding.")] = 0,
        files_from: Annotated[
            str,
            typer.Option(
                "--from",
                help="A or B: whose config, tokenizer and template to take.",
                metavar="A|B",
            ),
        ] = "B",
        check: Annotated[
            bool, typer.Option("--check", help="Only check, from headers alone; write nothing.")
        ] = False,
        threads: Annotated[
            int | None, typer.Option(help="Worker processes (default: the cores, at most 16).")
        ] = None,
        json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    ) -> None:
        """Merge checkpoints in one streaming pass; memory stays small whatever their size.

        Refuses, naming tensor and reason, what cannot be merged. A killed merge is taken up again
        by the same command. Measures the effective α that survives rounding, per layer.
        """
        from agent.weights.merge import Settings, combine

        folders, numbers = _split(arguments or [])
        if recipe is not None:
            if folders or numbers or alpha or alphas:
                raise UsageError("merge: --recipe names the checkpoints and weights itself")
            from agent.weights.recipe import read_recipe

            read = read_recipe(recipe)
            folders, donor, text = list(read.folders), read.donor, read.text
        else:
            if len(folders) != 2:
                raise UsageError("merge: give two checkpoints, A and B (or --recipe)")
            if files_from not in ("A", "B"):
                raise UsageError(f"merge: --from {files_from}: give A or B")
            read, donor, text = None, "AB".index(files_from), None
        if check:
            _check(folders, json)
            return
        if output is None:
            raise UsageError("merge: give the folder to write with -o")
        if read is not None:
            from agent.weights.merge import Target

            targets = [Target(output, read.weights)]
        else:
            targets = _members(output, " ".join([alpha or "", alphas or "", *numbers]))
        settings = Settings(dtype, rounding, seed, donor)
        with _progress(json) as progress:
            report = combine(
                folders, targets, settings, threads=threads, progress=progress, recipe=text
            )
        _print(report, json)


def _split(arguments: list[str]) -> tuple[list[Path], list[str]]:
    """The checkpoints come first; numbers after them belong to --alpha."""
    folders: list[Path] = []
    numbers: list[str] = []
    for argument in arguments:
        if argument.startswith("--"):
            raise UsageError(f"merge: no such option: {argument}")
        if len(folders) < 2:
            folders.append(Path(argument))
        else:
            numbers.append(argument)
    return folders, numbers


def _members(output: Path, text: str) -> list[Target]:
    from agent.weights.merge import Target
    from agent.weights.names import member_name, parse_alphas

    if not text.strip():
        raise UsageError("merge: give --alpha or --alphas (or --recipe)")
    alphas = parse_alphas(text)
    named = len(alphas) > 1
    return [
        Target(
            output.with_name(member_name(output.name, alpha)) if named else output,
            (1.0 - alpha, alpha),
            alpha,
        )
        for alpha in alphas
    ]


def _check(folders: list[Path], json: bool) -> None:
    from agent.weights.check import check
    from agent.weights.checkpoint import open_checkpoint

    checkpoints = [open_checkpoint(folder) for folder in folders]
    findings = check(checkpoints)
    if json:
        import json as json_module

        value = {"problems": findings.problems, "notes": findings.notes}
        typer.echo(json_module.dumps(value, indent=2, ensure_ascii=False))
    else:
        for line in findings.problems:
            typer.echo(f"refused: {line}")
        for line in findings.notes:
            typer.echo(f"note: {line}")
        if not findings.problems:
            size = checkpoints[0].nbytes / 1e9
            typer.echo(
                f"can be merged: {len(checkpoints[0].tensors)} tensors, {size:.2f} GB each "
                "(headers only; the numbers themselves are checked while merging)"
            )
    if findings.problems:
        raise typer.Exit(1)


def _progress(json: bool) -> Any:
    """A bar on a terminal, a line every ten seconds elsewhere, nothing with --json."""
    import contextlib

    if json:
        return contextlib.nullcontext()
    return _bar() if sys.stderr.isatty() else contextlib.nullcontext(_lines())


def _lines() -> Any:
    import time

    last = time.monotonic()

    def show(done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= 10:
            last = time.monotonic()
            print(f"merging: {done / 1e9:.1f} of {total / 1e9:.1f} GB", file=sys.stderr, flush=True)

    return show


@contextmanager
def _bar() -> Iterator[Any]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    columns = (TextColumn("merging"), BarColumn(), DownloadColumn(), TransferSpeedColumn(),
               TimeRemainingColumn())  # fmt: skip
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, refresh_per_second=4) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _print(report: MergeReport, json: bool) -> None:
    moved = report.bytes_read + report.bytes_written
    if json:
        import json as json_module

        from agent.weights.effect import as_json

        value = {
            "members": [
                {
                    "path": str(member.path),
                    "alpha": member.alpha,
                    "weights": member.weights,
                    "effective_alpha": member.effective_alpha,
                    "effects": as_json(member.effects),
                    "warnings": member.warnings,
                    "reused": member.reused,
                }
                for member in report.members
            ],
            "notes": report.notes,
            "seconds": report.seconds,
            "bytes_read": report.bytes_read,
            "bytes_written": report.bytes_written,
        }
        typer.echo(json_module.dumps(value, indent=2, ensure_ascii=False))
        return
    for line in report.notes:
        typer.echo(f"note: {line}")
    for member in report.members:
        effective = member.effective_alpha
        text = "" if effective is None else f"  effective alpha {effective:.4f}"
        typer.echo(f"{member.path}{text}{'  (was there already)' if member.reused else ''}")
        for line in member.warnings:
            typer.echo(f"  warning: {line}")
    speed = moved / max(report.seconds, 1e-9) / 1e9
    typer.echo(
        f"{moved / 1e9:.2f} GB read and written in {report.seconds:.1f} s ({speed:.2f} GB/s)"
    )
