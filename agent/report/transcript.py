"""A stored transcript as a list of steps, each of texts that are cut to what a page can show."""

from __future__ import annotations

import json
import unicodedata
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.report.read import connect

SHOWN = 20_000  # characters of one text that are sent at first
_LIMIT = 256 << 20  # bytes of one transcript


@dataclass(frozen=True, slots=True)
class Text:
    """One text of a step. `folded`: shown on demand (thoughts, long prompts)."""

    label: str
    body: str
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One entry of a transcript. `kind` chooses its colour: prompt, answer, results, note, …"""

    kind: str
    title: str
    texts: tuple[Text, ...]
    facts: tuple[str, ...] = ()


def unpack(body: bytes) -> list[Any]:
    """The stored entries; one that says so when the bytes are damaged or far too large."""
    try:
        stream = zlib.decompressobj()
        raw = stream.decompress(body, _LIMIT)
        if stream.unconsumed_tail:
            return [{"type": "note", "why": "the transcript is too large to show"}]
        entries = json.loads(raw.decode("utf-8", "surrogatepass"))
    except (zlib.error, ValueError) as error:
        return [{"type": "note", "why": f"the transcript cannot be read: {error}"}]
    return entries if isinstance(entries, list) else [entries]


def first_prompt(path: Path, attempt: int) -> str:
    """The messages that an attempt began with, as one text; "" when none is stored."""
    with connect(path) as db:
        row = db.execute("SELECT body FROM transcripts WHERE attempt = ?", (attempt,)).fetchone()
    messages: list[str] = []
    for step in steps(unpack(row[0])) if row else []:
        if step.kind != "prompt":
            break
        messages += [f"[{text.label}]\n{text.body}" for text in step.texts if text.label != "tools"]
    return visible("\n\n".join(messages))


def steps(entries: list[Any]) -> list[Step]:
    """Every entry as a step; an entry of a kind that is not known here is shown as JSON."""
    return [_step(e) if isinstance(e, dict) else _unknown(e) for e in entries]


def _step(entry: Mapping[str, Any]) -> Step:
    kind = str(entry.get("type", entry.get("role", "entry")))
    facts = _facts(entry)
    if kind == "prompt":
        texts = [_message(m, folded=False) for m in _list(entry.get("messages"))]
        if entry.get("tools"):
            texts.append(Text("tools", _pretty(entry["tools"]), folded=True))
        return Step(kind, "Prompt", tuple(texts), facts)
    if kind == "answer":
        return Step(kind, "Model", tuple(_answer(entry)), facts)
    if kind == "results":
        calls = [_result(c) for c in _list(entry.get("calls"))]
        texts = calls or [_message(m, folded=False) for m in _list(entry.get("messages"))]
        return Step(kind, "Tools", tuple(texts), facts)
    if kind == "note":
        texts = [_message(m, folded=False) for m in _list(entry.get("messages"))]
        return Step(kind, f"Harness: {entry.get('why', 'note')}", tuple(texts), facts)
    if kind in ("system", "user", "assistant", "tool"):
        texts = []
        if entry.get("reasoning"):
            texts.append(Text("thoughts", str(entry["reasoning"]), folded=True))
        texts.append(_message(entry, folded=False))
        step = {"assistant": "answer", "tool": "results"}.get(kind, "prompt")
        return Step(step, kind.capitalize(), tuple(texts), facts)
    rest = {k: v for k, v in entry.items() if k not in ("type", "turn", "at_s")}
    named = {"submission": "Submission", "end": "End"}.get(kind, kind)
    return Step("note", named, (Text("", _pretty(rest)),) if rest else (), facts)


def _unknown(entry: Any) -> Step:
    return Step("note", "Entry", (Text("", _pretty(entry)),))


def _answer(entry: Mapping[str, Any]) -> list[Text]:
    texts = []
    if entry.get("thoughts"):
        texts.append(Text("thoughts", str(entry["thoughts"]), folded=True))
    for message in _list(entry.get("messages")):
        content = _content(message)
        if content:
            texts.append(Text("", content))
    for call in _list(entry.get("tool_calls")):
        if isinstance(call, dict):
            name = str(call.get("name", "?"))
            texts.append(Text(f"calls {name}", _arguments(call.get("arguments"))))
    return texts


def _arguments(value: Any) -> str:
    """Arguments as the model meant them: code on lines of its own instead of escaped JSON."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return str(value)
    if isinstance(value, dict) and value and all(isinstance(v, str) for v in value.values()):
        if len(value) == 1:
            return str(next(iter(value.values())))
        return "\n".join(f"{key}:\n{text}" for key, text in value.items())
    return _pretty(value)


def _result(call: Any) -> Text:
    if not isinstance(call, dict):
        return Text("result", _pretty(call))
    wall = f", {call['wall_s']:g} s" if isinstance(call.get("wall_s"), int | float) else ""
    error = f", {call['error']}" if call.get("error") else ""
    return Text(f"{call.get('name', '?')}{wall}{error}", str(call.get("result", "")))


def _message(message: Any, *, folded: bool) -> Text:
    if not isinstance(message, dict):
        return Text("", _pretty(message))
    return Text(str(message.get("role", "")), _content(message), folded)


def _content(message: Any) -> str:
    content = message.get("content") if isinstance(message, dict) else message
    if content is None:
        return ""
    return content if isinstance(content, str) else _pretty(content)


def _facts(entry: Mapping[str, Any]) -> tuple[str, ...]:
    facts = []
    if isinstance(entry.get("turn"), int):
        facts.append(f"turn {entry['turn']}")
    if isinstance(entry.get("at_s"), int | float):
        facts.append(f"at {entry['at_s']:g} s")
    usage = entry.get("usage")
    if isinstance(usage, dict) and isinstance(usage.get("completion_tokens"), int):
        facts.append(f"{usage['completion_tokens']:,} tokens")
    if isinstance(entry.get("latency_s"), int | float):
        facts.append(f"took {entry['latency_s']:g} s")
    if entry.get("finish_reason") not in (None, "stop", "tool_calls"):
        facts.append(f"finish: {entry['finish_reason']}")
    return tuple(facts)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)


def visible(text: str) -> str:
    """Text in which every character that would hide or reorder others can be seen.

    Control characters become escapes such as \\x1b, format characters such as right-to-left
    overrides and lone surrogates become ⟨U+…⟩.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_visible(c) for c in text)


def _visible(c: str) -> str:
    if c in "\n\t" or c.isprintable():
        return c
    code = ord(c)
    if code < 32 or code == 127:
        return f"\\x{code:02x}"
    if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        return f"⟨U+{code:04X}⟩"
    return c


def shorten(text: str, limit: int = SHOWN) -> tuple[str, int]:
    """The beginning and the end of a long text, and how many characters are left out between."""
    if len(text) <= limit:
        return visible(text), 0
    head, tail = limit * 3 // 4, limit // 4
    return f"{visible(text[:head])}\n⋯\n{visible(text[-tail:])}", len(text) - head - tail
