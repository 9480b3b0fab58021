"""`agent run`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

if TYPE_CHECKING:
    from agent.run.request import RunRequest


def register(app: typer.Typer) -> None:
    app.command("run")(run)


def run(
    mode: list[str] = typer.Option(
        ["reasoning"],
        "--mode",
        help="reasoning, tool_use or agentic; repeat or separate by commas.",
    ),
    model: list[str] = typer.Option(
        [], "--model", help="A name of models.yaml, e.g. ckpt_alpha1.5; repeat for several."
    ),
    suite: Path = typer.Option(..., "--suite", help="The suite's YAML file."),
    n: int | None = typer.Option(None, "-n", min=1, help="Samples per problem (default: suite's)."),
    out: Path = typer.Option(..., "--out", help="The run's folder; re-issue to resume."),
    models: Path | None = typer.Option(None, "--models", help="Default: ./models.yaml."),
    base_url: str | None = typer.Option(
        None, "--base-url", help="An OpenAI-compatible server that already serves the model."
    ),
    sandbox: str = typer.Option("auto", "--sandbox", help="auto, docker or bubblewrap."),
    all_tests: bool = typer.Option(
        False, "--all-tests", help="Judge every test instead of stopping at the first failure."
    ),
    concurrency: int = typer.Option(16, min=1, help="Attempts in flight at once."),
    judges: int | None = typer.Option(None, min=1, help="Judge workers (default: cores)."),
    seed: int | None = typer.Option(None, help="Run seed (default: suite's, else 0)."),
    temperature: float | None = typer.Option(None, min=0.0, help="Default: suite's."),
    top_p: float | None = typer.Option(None, min=0.0, max=1.0, help="Default: suite's."),
    max_tokens: int | None = typer.Option(None, min=1, help="Output tokens per turn."),
    setting: list[str] = typer.Option(
        [], "--set", help="A mode setting, e.g. agentic.turns=20; repeat for several."
    ),
    shard: str = typer.Option("1/1", help="Only part i of N, e.g. 3/16; join them afterwards."),
    as_json: bool = typer.Option(False, "--json", help="Print the summary as JSON."),
) -> None:
    """Make attempts, judge them, store them; re-issue the same command to resume."""
    from agent.run.request import build_request

    request = build_request(
        suite_path=suite,
        modes=mode,
        models=model,
        out=out,
        registry_path=models,
        n=n,
        seed=seed,
        temperature=temperature,
        top_p=top_p,
        max_tokens=max_tokens,
        settings=setting,
        base_url=base_url,
        sandbox=sandbox,
        all_tests=all_tests,
        concurrency=concurrency,
        judges=judges,
        shard=shard,
    )
    finish(request, as_json=as_json)


def finish(request: RunRequest, *, as_json: bool) -> NoReturn:
    """Runs it, prints how the run stands, exits: 0 complete, 1 owed, 130 interrupted."""
    import asyncio
    import json
    import sys

    from agent.run.session import run as start

    try:
        summary = asyncio.run(start(request, lambda text: print(text, file=sys.stderr, flush=True)))
    except asyncio.CancelledError:  # a second SIGINT, or SIGTERM
        raise KeyboardInterrupt from None
    print(json.dumps(summary.as_json()) if as_json else summary.as_text(request.out))
    raise typer.Exit(130 if summary.interrupted else 1 if summary.owed else 0)
