"""`agent modes show` and `agent modes diff`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

_PROBLEM = typer.Option(..., "--problem", "-p", help="A problem folder.")
_MODEL = typer.Option(None, "--model", help="A name of models.yaml: its way of calling tools.")
_MODELS = typer.Option(None, "--models", help="Default: ./models.yaml.")
_FORM = typer.Option(None, "--tool-form", help="native, xml or fenced, instead of the model's.")
_LANGUAGES = typer.Option("python,cpp", "--languages", help="Accepted languages.")
_SETTING = typer.Option([], "--set", help="A mode setting, e.g. agentic.turns=20.")


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="See what each mode sends to a model.", no_args_is_help=True)
    group.command("show")(show)
    group.command("diff")(diff)
    app.add_typer(group, name="modes")


def show(
    mode: str | None = typer.Argument(None, help="Default: all three."),
    problem: Path = _PROBLEM,
    model: str | None = _MODEL,
    models: Path | None = _MODELS,
    tool_form: str | None = _FORM,
    languages: str = _LANGUAGES,
    setting: list[str] = _SETTING,
    as_json: bool = typer.Option(False, "--json", help="The requests as one JSON list."),
) -> None:
    """Print exactly what the server receives in the first turn."""
    import json

    from agent.modes.registry import MODES

    names = (mode,) if mode else MODES
    requests = _requests(names, problem, model, models, tool_form, languages, setting)
    if as_json:
        print(json.dumps(requests, ensure_ascii=False, indent=2))
        return
    for request in requests:
        form = f", tools: {request['tool_form']}" if request["tool_form"] else ""
        print(f"=== {request['mode']} ({request['hash']}{form}) ===")
        for message in request["messages"]:
            print(message["content"])
        if request["tools"]:
            print(json.dumps(request["tools"], ensure_ascii=False, indent=2))


def diff(
    one: str = typer.Argument(..., help="A mode."),
    two: str = typer.Argument(..., help="Another mode."),
    problem: Path = _PROBLEM,
    model: str | None = _MODEL,
    models: Path | None = _MODELS,
    tool_form: str | None = _FORM,
    languages: str = _LANGUAGES,
    setting: list[str] = _SETTING,
) -> None:
    """Print the prompts of two modes as one diff: only the mode's own paragraph may differ."""
    from agent.modes.show import difference

    first, second = _requests((one, two), problem, model, models, tool_form, languages, setting)
    print(difference(first, second))


def _requests(
    names: tuple[str, ...],
    problem: Path,
    model: str | None,
    models: Path | None,
    tool_form: str | None,
    languages: str,
    settings: list[str],
) -> list[dict[str, Any]]:
    from agent.models import Sampling
    from agent.models.registry import load_registry
    from agent.modes.overrides import with_overrides
    from agent.modes.registry import load_mode
    from agent.modes.show import Described, first_request
    from agent.suite.load import load_problem

    chosen = with_overrides({}, settings)
    described = Described("any model")
    if model is not None:
        spec = load_registry(models).resolve(model)
        native = (
            spec.endpoint.native_tools
            if spec.endpoint is not None
            else spec.serve.tool_call_parser is not None
        )
        described = Described(spec.name, native_tools=native, style=spec.style)
    for name in names:
        if tool_form is not None:
            chosen.setdefault(name, {}).setdefault("tool_form", tool_form)
    loaded = load_problem(problem)
    accepted = tuple(part.strip() for part in languages.split(",") if part.strip())
    return [
        first_request(loaded, load_mode(n, chosen.get(n, {})), described, accepted, Sampling())
        for n in names
    ]
