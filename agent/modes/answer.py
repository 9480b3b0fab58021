"""From a model's text to a submission. One rule for all modes:

1. The thoughts are taken out by the model's own markers; they never hold the submission.
2. The submission is the last complete fenced block of an accepted language. The language is the
   first word after the fence; a fence without one counts when its code is recognised.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from agent.judge.verdict import Submission
from agent.models import ChatStyle


@dataclass(frozen=True, slots=True)
class Split:
    """A text in two parts. `open`: the thoughts had no end, so there is no answer behind them."""

    thoughts: str
    answer: str
    open: bool = False


def split_thoughts(text: str, style: ChatStyle) -> Split:
    """Thoughts and answer. A closing marker without an opening one closes what the chat template
    opened; an opening marker without a closing one means that the text was cut in the thoughts.
    """
    openings = dict(style.thoughts)
    closings = {closing for _, closing in style.thoughts}
    if not openings:
        return Split("", text)
    marker = re.compile("|".join(re.escape(m) for m in [*openings, *closings]))
    first = marker.search(text)
    if first is None:
        return Split(text, "", open=True) if style.thoughts_opened else Split("", text)
    thoughts: list[str] = []
    answer: list[str] = []
    position = 0
    if first[0] in closings:
        thoughts.append(text[: first.start()])
        position = first.end()
    while (found := marker.search(text, position)) is not None:
        if found[0] in closings:  # one too many: part of the answer's text
            answer.append(text[position : found.end()])
            position = found.end()
            continue
        answer.append(text[position : found.start()])
        end = text.find(openings[found[0]], found.end())
        if end < 0:
            thoughts.append(text[found.end() :])
            return Split(_join(thoughts), "".join(answer).strip(), open=True)
        thoughts.append(text[found.end() : end])
        position = end + len(openings[found[0]])
    answer.append(text[position:])
    return Split(_join(thoughts), "".join(answer).strip())


def _join(parts: list[str]) -> str:
    return "\n".join(part.strip() for part in parts if part.strip())


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block. `label`: the first word after the fence, lower case."""

    label: str
    body: str
    complete: bool


_FENCE = re.compile(r"^([ \t]*)(`{3,}|~{3,})[ \t]*([^`\n]*)$")


def fenced_blocks(text: str) -> Iterator[Block]:
    """Blocks fenced as in CommonMark, at any indentation (lists); the last may be incomplete."""
    fence = indent = label = ""
    body: list[str] = []
    for line in text.splitlines():
        match = _FENCE.match(line)
        if not fence:
            if match:
                indent, fence, info = match.groups()
                label = info.split()[0].lower() if info.split() else ""
                body = []
        elif match and match[2][0] == fence[0] and len(match[2]) >= len(fence) and not match[3]:
            yield Block(label, _text(body), complete=True)
            fence = ""
        else:
            body.append(line.removeprefix(indent))
    if fence:
        yield Block(label, _text(body), complete=False)


def _text(lines: list[str]) -> str:
    return "\n".join(lines) + "\n" if lines else ""


_ALIASES = {
    "python": "python",
    "python3": "python",
    "py": "python",
    "py3": "python",
    "pypy": "pypy",
    "pypy3": "pypy",
    "cpp": "cpp",
    "c++": "cpp",
    "cc": "cpp",
    "cxx": "cpp",
    "cpp17": "cpp",
    "c++17": "cpp",
    "cpp20": "cpp",
    "c++20": "cpp",
    "c": "c",
    "java": "java",
    "rust": "rust",
    "rs": "rust",
    "go": "go",
    "golang": "go",
}


def language_of(label: str, accepted: Collection[str]) -> str | None:
    """The accepted language that a fence's label names, or None."""
    label = label.strip("{}.")
    if label in accepted:
        return label
    language = _ALIASES.get(label)
    if language in accepted:
        return language
    # PyPy runs the same language: a Python block is accepted where only PyPy is.
    return "pypy" if language == "python" and "pypy" in accepted else None


def detect_language(code: str, accepted: Collection[str]) -> str | None:
    """The accepted language that unlabelled code is certainly written in, or None."""
    for language, looks_like in _LOOKS.items():
        if looks_like(code[:100_000]):
            return language_of(language, accepted)
    return None


def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)


_JAVA = _pattern(r"^\s*(public\s+)?(final\s+)?class\s+\w+")
_RUST = _pattern(r"^\s*(pub\s+)?fn\s+main\s*\(\s*\)")
_GO = _pattern(r"^package\s+main\b")
_INCLUDE = _pattern(r"^\s*#\s*include\s*[<\"]")
_CPP = _pattern(r"\bstd::|\busing\s+namespace\b|<(bits/stdc\+\+\.h|iostream|vector|string|map)>")

_PYTHON = _pattern(
    r"^\s*(import \w|from [\w.]+ import\b|def \w+\(|class \w+.*:$|for .+ in .+:|while .+:|print\()"
)

_LOOKS: Mapping[str, Callable[[str], object]] = {
    "cpp": lambda code: _INCLUDE.search(code) and _CPP.search(code),
    "c": _INCLUDE.search,
    "go": _GO.search,
    "rust": _RUST.search,
    "java": lambda code: _JAVA.search(code) and "{" in code,
    "python": _PYTHON.search,
}


def find_submission(answer: str, accepted: Collection[str]) -> Submission | None:
    """The last complete fenced block of an accepted language; None when there is none."""
    found = None
    for block in fenced_blocks(answer):
        if not block.complete or not block.body.strip():
            continue
        language = (
            language_of(block.label, accepted)
            if block.label
            else detect_language(block.body, accepted)
        )
        if language is not None:
            found = Submission(block.body, language)
    return found
