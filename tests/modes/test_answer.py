"""From text to submission: thoughts, fences, languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.models import ChatStyle
from agent.modes.answer import fenced_blocks, find_submission, known_languages, split_thoughts

PYTHON = "import sys\nprint(1)\n"
CPP = "#include <iostream>\nint main() { std::cout << 1; }\n"


def found(text: str, *accepted: str) -> tuple[str, str] | None:
    submission = find_submission(text, accepted or ("python", "cpp"), known_languages())
    return (submission.language, submission.source) if submission else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"```python\n{PYTHON}```", ("python", PYTHON)),
        (f"```py\nold\n```\ntext\n```Python\n{PYTHON}```\nbye", ("python", PYTHON)),
        (f"```cpp\n{CPP}```\n```text\n1 2\n```", ("cpp", CPP)),  # other labels do not count
        (f"```\n{CPP}```", ("cpp", CPP)),  # detected
        (f"```python\n{PYTHON}```\n```\n3\n4\n```", ("python", PYTHON)),  # data is no code
        (f"```python\n{PYTHON}```\n```python\ncut off", ("python", PYTHON)),  # not complete
        (f"1. so:\n   ```python\n   {PYTHON.splitlines()[0]}\n   ```", ("python", "import sys\n")),
        (f"~~~~python\n{PYTHON}```\n~~~~", ("python", PYTHON + "```\n")),
        ("```python\n\n```", None),
        ("no code", None),
        ("", None),
        ("```java\nclass A {}\n```", None),
    ],
)
def test_the_last_complete_block_of_an_accepted_language(
    text: str, expected: tuple[str, str] | None
) -> None:
    assert found(text) == expected


def test_a_language_that_is_not_accepted_does_not_count() -> None:
    assert found(f"```python\n{PYTHON}```\n```cpp\n{CPP}```", "python") == ("python", PYTHON)
    assert found(f"```python\n{PYTHON}```", "pypy") == ("pypy", PYTHON)


@pytest.mark.parametrize(
    ("text", "thoughts", "answer", "is_open"),
    [
        ("<think>a</think>b", "a", "b", False),
        ("a</think>b", "a", "b", False),  # opened by the chat template
        ("<think>a", "a", "", True),
        ("b", "", "b", False),
        ("<think>a</think>b<think>c</think>d", "a\nc", "bd", False),
        ("<thinking>a</thinking>b", "a", "b", False),
        ("b<think>", "", "b", True),
        ("a</think>b</think>c", "a", "b</think>c", False),
    ],
)
def test_thoughts(text: str, thoughts: str, answer: str, is_open: bool) -> None:
    split = split_thoughts(text, ChatStyle())
    assert (split.thoughts, split.answer, split.open) == (thoughts, answer, is_open)


def test_thoughts_that_the_template_opened_and_nothing_closed() -> None:
    split = split_thoughts("hm", ChatStyle(thoughts_opened=True))
    assert (split.thoughts, split.answer, split.open) == ("hm", "", True)


def test_code_in_thoughts_is_never_the_submission() -> None:
    text = f"<think>```python\n{PYTHON}```</think>I give up."
    assert found(split_thoughts(text, ChatStyle()).answer) is None


@given(st.text(alphabet=st.sampled_from("`~pyt \n<>/think\x00é"), max_size=200))
def test_no_text_breaks_the_parsers(text: str) -> None:
    split = split_thoughts(text, ChatStyle())
    assert len(split.answer) <= len(text)
    for block in fenced_blocks(split.answer):
        assert len(block.body) <= len(text) + 1
    found(split.answer)
