"""The `agent` command: finds the verbs, and turns errors into one clear line."""

from __future__ import annotations

import importlib
import os
import sys

import typer

from agent.errors import AgentError

_ClickException: type[Exception] = typer.BadParameter.__mro__[2]  # of the click that typer uses

# One module each in this folder, with `register(app)`. Verbs import what they need when they run,
# so that `agent --help` stays fast.
VERBS: tuple[str, ...] = (
    "merge",
    "weights",
    "tasks",
    "judge",
    "rejudge",
    "report",
    "status",
    "view",
    "export",
    "run",
    "sweep",
    "join",
    "modes",
    "replay",
    "models",
    "serve",
    "doctor",
    "images",
    "clean",
)

app = typer.Typer(
    name="agent",
    help="Map the correctness-efficiency frontier of code models.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(value: bool) -> None:
    if value:
        from agent import __version__

        typer.echo(f"agent {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Print the version."
    ),
) -> None:
    pass


for _verb in VERBS:
    importlib.import_module(f"agent.cli.{_verb}").register(app)


def main() -> None:
    """Console script. Exit codes: 0 good, 1 failure, 2 usage, 130 interrupted."""
    try:
        sys.exit(app(standalone_mode=False) or 0)
    except AgentError as error:
        _say(str(error))
        sys.exit(error.exit_code)
    except _ClickException as error:  # an unknown verb, option or value
        text = error.format_message()  # type: ignore[attr-defined]
        if text:  # empty: no verb was given, and the help is printed
            context = getattr(error, "ctx", None)
            verb = context.command_path if context is not None else "agent"
            _say(f"{text} (see `{verb} --help`)")
        sys.exit(2)
    except (KeyboardInterrupt, typer.Abort):
        _say("interrupted")
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _say(text: str) -> None:
    print(f"agent: {' '.join(text.split())}", file=sys.stderr)


if __name__ == "__main__":
    main()
