"""`agent serve` and `agent scripted-server`: servers that stay until Ctrl-C."""

from __future__ import annotations

from collections.abc import Coroutine
from pathlib import Path

import typer


def register(app: typer.Typer) -> None:
    app.command("serve")(serve)
    app.command("scripted-server", hidden=True)(scripted_server)


def serve(
    name: str = typer.Argument(..., help="A checkpoint or member, e.g. ckpt_alpha1.5."),
    models: Path | None = typer.Option(None, "--models", help="Default: ./models.yaml."),
    port: int = typer.Option(8000, "--port", help="On 127.0.0.1; 0 takes any free one."),
) -> None:
    """Serve a model with vLLM until Ctrl-C; merges a member that is not there yet."""
    import sys

    from agent.errors import UsageError
    from agent.models.open import ensure_folder
    from agent.models.registry import load_registry
    from agent.models.serve import VllmServer

    spec = load_registry(models).resolve(name)
    if spec.endpoint is not None:
        raise UsageError(
            f"{name} is served elsewhere ({spec.kind}); only checkpoints can be served"
        )

    def say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    async def until_interrupted() -> None:
        folder = await ensure_folder(spec, say)
        server = VllmServer(
            folder, spec.name, spec.serve, say=say, port=port or None, private=False
        )
        async with server:
            print(f"{spec.name} at {server.base_url}; Ctrl-C ends it", flush=True)
            await server.wait()

    _run(until_interrupted())


def scripted_server(
    script: Path = typer.Argument(..., help="A YAML script; see docs/models.md."),
    port: int = typer.Option(0, "--port", help="On 127.0.0.1; 0 takes any free one."),
) -> None:
    """Serve scripted answers for tests, without a model."""
    import asyncio

    from agent.models.script import load_script
    from agent.models.scripted import ScriptedServer

    loaded = load_script(script)

    async def until_interrupted() -> None:
        async with ScriptedServer(loaded, port=port) as server:
            print(f"{loaded.model} at {server.base_url}; Ctrl-C ends it", flush=True)
            await asyncio.Event().wait()

    _run(until_interrupted())


def _run(work: Coroutine[None, None, None]) -> None:
    """Until the work ends, SIGINT (the normal end) or SIGTERM."""
    import asyncio
    import signal

    async def guarded() -> None:
        task = asyncio.ensure_future(work)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, task.cancel)
        try:
            await task
        except asyncio.CancelledError:
            return

    asyncio.run(guarded())
