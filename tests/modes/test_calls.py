"""Reading tool calls in three forms, and what is said of those that are wrong."""

from __future__ import annotations

import json

import pytest

from agent.models import Completion, ToolCall
from agent.modes.calls import Call, FormatError, assistant_message, read_calls

NAMES = ("python", "edit")


def read(form: str, text: str, finish: str = "stop") -> list[Call]:
    return read_calls(form, Completion(text, finish_reason=finish), text, NAMES)


def native(name: str, arguments: str, finish: str = "tool_calls") -> list[Call]:
    completion = Completion("", tool_calls=(ToolCall("1", name, arguments),), finish_reason=finish)
    return read_calls("native", completion, "", NAMES)


CODE = 'if a < b and "c" > d:\n    print("</x>")\n'


def test_the_same_calls_in_all_forms() -> None:
    arguments = {"code": CODE}
    in_json = json.dumps({"name": "python", "arguments": arguments})
    xml = f'text <call name="python">\n<code>\n{CODE}\n</code>\n</call> text'
    for calls in (
        native("python", json.dumps(arguments)),
        read("xml", xml),
        read("fenced", f"text\n```tool_call\n{in_json}\n```\n"),
    ):
        assert [(c.name, dict(c.arguments), c.error) for c in calls] == [("python", arguments, "")]


def test_several_calls_in_order() -> None:
    xml = '<call name="python"><code>1</code></call><call name="edit"><old>a</old></call>'
    assert [c.name for c in read("xml", xml)] == ["python", "edit"]


def test_no_call() -> None:
    for form in ("native", "xml", "fenced"):
        assert read(form, "Just ```python\nprint(1)\n``` here") == []


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("xml", '<call name="python"><code>print('),
        ("fenced", '```tool_call\n{"name": "python"'),
        ("native", '<tool_call>\n{"name": "python"'),
    ],
)
def test_a_call_that_was_cut_off_is_never_executed(form: str, text: str) -> None:
    with pytest.raises(FormatError, match="cut off"):
        read(form, text, "length")
    with pytest.raises(FormatError, match="could not be read"):
        read(form, text)


def test_a_complete_call_in_a_message_that_was_cut_off_is_not_executed_either() -> None:
    with pytest.raises(FormatError, match="nothing of it was executed"):
        native("python", "{}", "length")


def test_what_is_wrong_is_told_apart() -> None:
    assert native("pyhton", "{}")[0].kind == "unknown_tool"
    assert "python, edit" in native("pyhton", "{}")[0].error
    assert native("python", '{"code": ')[0].kind == "format"
    assert native("python", "[1]")[0].kind == "format"
    assert native("python", "[" * 100_000)[0].kind == "format"
    assert read("fenced", '```tool_call\n{"name": 3}\n```')[0].kind == "format"


def test_arguments_that_are_not_json_go_back_as_an_empty_object() -> None:
    completion = Completion("", tool_calls=(ToolCall("1", "python", "{bad"),))
    message = assistant_message("native", completion, native("python", "{bad"))
    assert message["tool_calls"][0]["function"]["arguments"] == "{}"
