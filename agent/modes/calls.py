"""How a model calls tools: natively, or in one of two text forms for models without.

`native`: the server parses the calls. `xml`: tags with raw text inside, no escaping. `fenced`: a
block labelled `tool_call` with JSON inside. Everything that goes wrong is a `FormatError` or a
call with an `error`, in words that the model can act on; nothing malformed is ever executed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agent.models import Completion, Message, ToolSchema
from agent.modes import End
from agent.modes.answer import fenced_blocks
from tools import Tool

FORMS = ("native", "xml", "fenced")
CALLS_PER_TURN = 16


class FormatError(Exception):
    """The message is neither a call nor an answer; the text tells the model what to do.

    end: how the attempt ends if the model does not recover.
    """

    def __init__(self, text: str, end: End = End.FORMAT) -> None:
        super().__init__(text)
        self.end = end


@dataclass(frozen=True, slots=True)
class Call:
    """One call. `error`: why it cannot be executed; `kind` of that for the record."""

    id: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""
    kind: str = ""  # "" | "format" | "unknown_tool" | "arguments"


def schemas(tools: Sequence[Tool]) -> tuple[ToolSchema, ...]:
    """The tools as an OpenAI server wants them."""
    return tuple(
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": dict(tool.schema),
            },
        }
        for tool in tools
    )


def read_calls(form: str, completion: Completion, answer: str, names: Sequence[str]) -> list[Call]:
    """The calls of one answer in order; empty when it holds none.

    answer: the text without thoughts. Raises FormatError for a call that was cut off or is not in
    the form at all.
    """
    cut_off = completion.finish_reason == "length"
    if form == "native":
        calls = [_native(call.id, call.name, call.arguments) for call in completion.tool_calls]
        begun = bool(calls) or "<tool_call>" in answer
    elif form == "xml":
        calls, begun = _xml(answer, names)
    else:
        calls, begun = _fenced(answer)
    if begun and cut_off:
        raise FormatError(
            "Your message was cut off at its token limit in or after a tool call, so nothing of it"
            " was executed. Send the call again, shorter."
        )
    if begun and not calls:
        raise FormatError(f"Your tool call could not be read. {how_to_call(form)}")
    return [_known(call, names) for call in calls]


def _known(call: Call, names: Sequence[str]) -> Call:
    if call.kind == "format" or call.name in names:
        return call
    error = f"There is no tool {call.name[:80]!r}. The tools are: {', '.join(names)}."
    return Call(call.id, call.name, call.arguments, error, "unknown_tool")


def _native(call_id: str, name: str, arguments: str) -> Call:
    try:
        value = _object(arguments or "{}")
    except ValueError as error:
        return Call(call_id, name, error=f"The arguments are not valid: {error}.", kind="format")
    return Call(call_id, name, value)


def _object(text: str) -> dict[str, Any]:
    """A JSON object. Raw newlines inside strings are taken as meant: models write code so."""
    try:
        value = json.loads(text, strict=False)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("expected a JSON object")
    return value


_OPEN = re.compile(r"<call\s+name\s*=\s*[\"']?([^\"'>\s]*)[\"']?\s*>")
_TAG = re.compile(r"<([A-Za-z_]\w*)>")


def _xml(answer: str, names: Sequence[str]) -> tuple[list[Call], bool]:
    calls: list[Call] = []
    position = 0
    while (opening := _OPEN.search(answer, position)) is not None:
        end = answer.find("</call>", opening.end())
        if end < 0:
            return calls, True
        body = answer[opening.end() : end]
        calls.append(Call(f"call_{len(calls) + 1}", opening[1], _arguments(body)))
        position = end + len("</call>")
    return calls, bool(calls)


def _arguments(body: str) -> dict[str, str]:
    """`<name>text</name>` pairs. A text ends at the last closing tag of its name."""
    found: dict[str, str] = {}
    position = 0
    while (tag := _TAG.search(body, position)) is not None:
        end = body.rfind(f"</{tag[1]}>", tag.end())
        if end < 0:
            position = tag.end()
            continue
        found[tag[1]] = body[tag.end() : end].removeprefix("\n").removesuffix("\n")
        position = end + len(tag[1]) + 3
    return found


def _fenced(answer: str) -> tuple[list[Call], bool]:
    calls: list[Call] = []
    begun = False
    for block in fenced_blocks(answer):
        if block.label != "tool_call":
            continue
        begun = True
        if not block.complete:
            return calls, True
        call_id = f"call_{len(calls) + 1}"
        try:
            value = _object(block.body)
            name, arguments = value.get("name"), value.get("arguments", {})
            if not isinstance(name, str) or not isinstance(arguments, dict):
                raise ValueError('expected "name" (a string) and "arguments" (an object)')
        except ValueError as error:
            text = f"The call is not valid: {error}. {how_to_call('fenced')}"
            calls.append(Call(call_id, "?", error=text, kind="format"))
        else:
            calls.append(Call(call_id, name, arguments))
    return calls, begun


def how_to_call(form: str) -> str:
    """The form in words, with an example. Empty where the server's chat template explains it."""
    if form == "xml":
        return (
            "To call a tool, write its name and arguments like this (raw text, no escaping):\n"
            '<call name="TOOL">\n<ARGUMENT>\nvalue\n</ARGUMENT>\n</call>'
        )
    if form == "fenced":
        return (
            "To call a tool, write a fenced block labelled tool_call with one JSON object:\n"
            '```tool_call\n{"name": "TOOL", "arguments": {"ARGUMENT": "value"}}\n```'
        )
    return "Use the tool calls that you were given, with JSON arguments."


def assistant_message(form: str, completion: Completion, calls: Sequence[Call]) -> Message:
    """The model's own message as it goes back to the server in the next turn.

    Thoughts that the server split off go back too: templates that want them use them. Arguments
    that are not JSON go back as `{}`, because chat templates fail on them.
    """
    message: Message = {"role": "assistant", "content": completion.content}
    if completion.reasoning:
        message["reasoning_content"] = completion.reasoning
    if form == "native" and calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {
                    "name": call.name,
                    "arguments": json.dumps(dict(call.arguments), ensure_ascii=False),
                },
            }
            for call in calls
        ]
    return message


def result_messages(form: str, results: Sequence[tuple[Call, str]]) -> list[Message]:
    """Tool results as messages: one each natively, one for all in the text forms."""
    if form == "native":
        return [
            {"role": "tool", "tool_call_id": call.id, "content": text} for call, text in results
        ]
    text = "\n\n".join(f"Result of {call.name}:\n{text}" for call, text in results)
    return [{"role": "user", "content": text}]
