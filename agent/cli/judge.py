"""`agent judge`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from agent.judge.languages import Languages, Program
    from agent.judge.verdict import Judgement
    from agent.suite.problem import Problem


def register(app: typer.Typer) -> None:
    app.command("judge")(judge)


def judge(
    file: Path | None = typer.Argument(None, help="The source to judge."),
    problem: Path | None = typer.Option(
        None, "--problem", "-p", help="A problem folder: ours, or an ICPC/Kattis package."
    ),
    language: str = typer.Option("", "--language", "-l", help="Default: by the file's ending."),
    all_tests: bool = typer.Option(
        False, "--all-tests", help="Go on after the first test that fails."
    ),
    time_limit: float | None = typer.Option(
        None, min=0.001, help="CPU seconds, instead of the problem's."
    ),
    memory_limit: int | None = typer.Option(None, min=1, help="MiB, instead of the problem's."),
    languages: Path | None = typer.Option(None, help="A YAML file with more languages."),
    sandbox: str = typer.Option("auto", help="auto, docker or bubblewrap."),
    workers: int | None = typer.Option(None, min=1, help="Sandboxes (default: physical cores)."),
    cache: bool = typer.Option(True, help="Keep compiled programs on disk."),
    bench: bool = typer.Option(
        False, "--bench", help="Instead: measure tests per second and the cost of a test here."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Judge one source file: verdict, CPU time and memory of every test.

    Exit code 0 only when it is accepted; 1 when it is not; 2 when the command is wrong.
    """
    import asyncio
    import json

    from agent.errors import InfrastructureError, UsageError
    from agent.judge.languages import load_languages
    from agent.judge.show import as_json_object, print_table

    known = load_languages(languages)
    if bench:
        _bench(sandbox, workers, as_json)
        return
    if file is None or problem is None:
        raise UsageError("agent judge needs FILE and --problem (or --bench)")
    program = _read(file, language, known)
    found = _limited(problem, time_limit, memory_limit)
    judgement = asyncio.run(
        _judge(found, program, known, sandbox, workers or 1, all_tests, cache, quiet=as_json)
    )
    if as_json:
        typer.echo(json.dumps(as_json_object(found, judgement)))
    elif judgement.outcome is None:
        raise InfrastructureError(f"{found.id}: the judge failed: {judgement.error}")
    else:
        print_table(found, judgement)
    raise typer.Exit(0 if judgement.verdict == "AC" else 1)


def _read(file: Path, language: str, known: Languages) -> Program:
    """The source, in the given language or in the one that the name or the text tells."""
    from agent.errors import UsageError
    from agent.judge.languages import Program

    try:
        content = file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from None
    if language:
        chosen = known.find(language)
    else:
        guess = known.of_file(file) or known.detect(content[:100_000].decode("utf-8", "replace"))
        if guess is None:
            names = ", ".join(one.name for one in known)
            raise UsageError(f"{file}: cannot tell its language; give --language ({names})")
        chosen = guess
    return Program(((chosen.entry.file, content),), chosen.name)


def _limited(path: Path, time_s: float | None, memory_mb: int | None) -> Problem:
    from dataclasses import replace

    from agent.suite.load import load_problem

    problem = load_problem(path)
    limits = problem.limits
    if time_s is not None:
        limits = replace(limits, time_s=time_s, time_derived=False)
    if memory_mb is not None:
        limits = replace(limits, memory_bytes=memory_mb << 20)
    return replace(problem, limits=limits)


async def _judge(
    problem: Problem,
    program: Program,
    languages: Languages,
    sandbox: str,
    workers: int,
    all_tests: bool,
    cache: bool,
    *,
    quiet: bool,
) -> Judgement:
    import contextlib

    from agent.judge.judge import open_judge
    from agent.sandbox.backends import open_backend

    def say(text: str) -> None:
        if not quiet:
            typer.echo(text, err=True)

    async with contextlib.AsyncExitStack() as stack:
        backend = await open_backend(sandbox, say=say)
        stack.push_async_callback(backend.close)
        judge = await open_judge(backend, workers=workers, languages=languages, cache=cache)
        stack.push_async_callback(judge.close)
        return await judge.judge(problem, program, all_tests=all_tests, explain=True)


def _bench(sandbox: str, workers: int | None, as_json: bool) -> None:
    import asyncio
    import json

    from agent.judge.bench import bench

    figures = asyncio.run(bench(sandbox, workers))
    if as_json:
        typer.echo(json.dumps(figures.as_json()))
    else:
        typer.echo(figures.as_text())
