"""From a model's text to a submission. One rule for all modes:

1. The thoughts are taken out by the model's own markers; they never hold the submission.
2. The submission is the last complete fenced block of an accepted language. The language is the
   first word after the fence; a fence without one counts when its code is recognised.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache

from agent.judge.languages import Languages, load_languages
from agent.judge.verdict import Submission
from agent.models import ChatStyle

known_languages = cache(load_languages)  # read once a process


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


_DETECT_CHARS = 100_000  # of unlabelled code that is looked at
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


def language_of(block: Block, accepted: Collection[str], known: Languages) -> str | None:
    """The accepted language of a block: by its label, else by what its code looks like."""
    language = known.detect(block.body[:_DETECT_CHARS], block.label.strip("{}."))
    if language is None:
        return None
    if language.name in accepted:
        return language.name
    # PyPy runs the same language: a Python block is accepted where only PyPy is.
    return "pypy" if language.name == "python" and "pypy" in accepted else None


def find_submission(answer: str, accepted: Collection[str], known: Languages) -> Submission | None:
    """The last complete fenced block of an accepted language; None when there is none."""
    for block in reversed(list(fenced_blocks(answer))):
        if block.complete and block.body.strip():
            language = language_of(block, accepted, known)
            if language is not None:
                return Submission(block.body, language)
    return None
