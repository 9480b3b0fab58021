"""The prompt: one template for all modes; a mode adds its own paragraph and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2

from agent.errors import UsageError
from agent.models import ChatModel, Message, Sampling
from agent.modes.answer import known_languages
from agent.modes.calls import how_to_call
from agent.suite.problem import Problem
from tools import Tool
from tools.text import cut

if TYPE_CHECKING:
    from agent.modes.registry import Mode

FOLDER = Path(__file__).parent / "prompts"
SAMPLE_CHARS = 4000  # of a sample shown in the prompt; the file in the workspace is whole


@dataclass(frozen=True, slots=True)
class _Shown:
    input: str
    output: str


@cache
def environment() -> jinja2.Environment:
    """Templates with strict undefined variables and no escaping: texts stay byte-identical."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER, encoding="utf-8"),
        undefined=jinja2.StrictUndefined,
        autoescape=False,
        keep_trailing_newline=False,
    )


def tool_text(tools: Sequence[Tool], form: str) -> str:
    """The tools in words, from the tools themselves, so that no prompt names one that is absent.

    Natively the server renders the schemas; the text forms spell out every argument.
    """
    if not tools:
        return ""
    lines = ["You can call these tools:" if len(tools) > 1 else "You can call this tool:", ""]
    for tool in tools:
        lines.append(f"- `{tool.name}`: {tool.description}")
        if form != "native":
            required = tool.schema.get("required", ())
            for name, entry in tool.schema["properties"].items():
                optional = "" if name in required else " (optional)"
                lines.append(f"  - `{name}`{optional}: {entry.get('description', '')}")
    if form != "native":
        lines += ["", how_to_call(form)]
    return "\n".join(lines)


def render_messages(
    problem: Problem,
    mode: Mode,
    model: ChatModel,
    languages: Sequence[str],
    sampling: Sampling | None = None,
) -> list[Message]:
    """The first turn's messages, exactly as the server receives them.

    One user message: every chat template knows it, and no mode depends on a system role.
    """
    return [{"role": "user", "content": _render(problem, mode, model, languages, sampling)}]


def _render(
    problem: Problem,
    mode: Mode,
    model: ChatModel,
    languages: Sequence[str],
    sampling: Sampling | None,
) -> str:
    samples = [_Shown(_shown(t.input.read()), _shown(t.answer.read())) for t in problem.samples]
    form, known = mode.form_for(model), known_languages()
    values: dict[str, Any] = {
        "problem": problem,
        "samples": samples,
        "sample_files": _files(len(samples)),
        "limits": {
            "time": _seconds(problem.limits.time_s),
            "memory": f"{problem.limits.memory_bytes >> 20} MiB",
        },
        "languages": [
            {"title": known.find(name).title, "label": known.find(name).name} for name in languages
        ],
        "budget": mode.announced(sampling or Sampling()),
        "tool_text": tool_text(mode.described(languages), form),
        "mode_template": f"{mode.name}.md.j2",
    }
    try:
        return environment().get_template("task.md.j2").render(values)
    except jinja2.TemplateError as error:
        raise UsageError(f"prompt of mode {mode.name}: {error}") from error


def template_sources(mode_name: str) -> str:
    """The exact templates that a mode uses, for its identity and for the record."""
    names = ("task.md.j2", f"{mode_name}.md.j2")
    return "\n".join(f"{{# {name} #}}\n{(FOLDER / name).read_text('utf-8')}" for name in names)


def _shown(data: bytes) -> str:
    return cut(data.decode("utf-8", "replace").rstrip("\n"), SAMPLE_CHARS)


def _files(count: int) -> str:
    if count == 1:
        return "`1.in`, `1.ans`"
    return f"`1.in`, `1.ans` to `{count}.in`, `{count}.ans`"


def _seconds(value: float) -> str:
    return f"{value:g} second{'' if value == 1 else 's'}"
