"""Files, submissions and texts, on a workspace in memory (the sandboxed one is in tests/modes)."""

from __future__ import annotations

from typing import Any

import pytest

from tools import BadArguments, Output, Process, Submitted
from tools.files import Create, Edit, View
from tools.submit import Accepted, Submit
from tools.text import cut, readable, show_output


class Memory:
    """Files only; a real `Workspace` that runs nothing."""

    def __init__(self, **files: str) -> None:
        self.files = {name.replace("_", "."): text.encode() for name, text in files.items()}

    async def read(self, path: str, *, max_bytes: int = 1 << 20) -> bytes:
        if path not in self.files:
            raise FileNotFoundError(path)
        return self.files[path]

    async def write(self, path: str, content: bytes) -> None:
        self.files[path] = content

    async def run(self, argv: tuple[str, ...], **options: Any) -> Output:
        raise AssertionError("nothing is to be run")

    async def start(self, argv: tuple[str, ...], *, memory_bytes: int = 0) -> Process:
        raise AssertionError("nothing is to be started")

    async def restart(self) -> None:
        raise AssertionError("nothing is to be restarted")


TEXT = "one\n  two\nthree\ntwo\n"


async def test_view_numbers_lines_and_checks_its_range() -> None:
    view = View(Memory(a_txt=TEXT), output_chars=1000)
    assert (await view.call({"path": "a.txt", "start": 2, "end": 3})).split() == [
        *("2", "two", "3", "three")
    ]
    for wrong, message in (({"start": 9}, "4 lines"), ({"start": 3, "end": 2}, "before start")):
        with pytest.raises(BadArguments, match=message):
            await view.call({"path": "a.txt", **wrong})
    with pytest.raises(BadArguments, match="no file"):
        await view.call({"path": "b"})


async def test_edit_must_match_once() -> None:
    room = Memory(a_txt=TEXT)
    edit = Edit(room)
    with pytest.raises(BadArguments, match=r"occurs 2 times, from lines 2, 4"):
        await edit.call({"path": "a.txt", "old": "two", "new": "x"})
    with pytest.raises(BadArguments, match=r"(?s)differs only in spaces is in line 2:.*  two"):
        await edit.call({"path": "a.txt", "old": "two\n  three", "new": "x"})
    with pytest.raises(BadArguments, match=r"(?s)nearest is in line 3:.*three"):
        await edit.call({"path": "a.txt", "old": "thhree", "new": "x"})
    with pytest.raises(BadArguments, match="view it"):
        await edit.call({"path": "a.txt", "old": "completely different", "new": "x"})
    assert "\tfour" in await edit.call({"path": "a.txt", "old": "three", "new": "four"})
    assert room.files["a.txt"] == TEXT.replace("three", "four").encode()


async def test_create_and_submit() -> None:
    room = Memory()
    await Create(room).call({"path": "a.py", "content": "print(1)\n"})
    submit = Submit(room, Accepted(("python", "cpp"), {".py": "python", ".cpp": "cpp"}))
    with pytest.raises(Submitted) as raised:
        await submit.call({"path": "a.py"})
    assert (raised.value.source, raised.value.language) == ("print(1)\n", "python")
    assert not raised.value.final
    for wrong, message in (
        ({"path": "b.py"}, "no file"),
        ({"path": "a.txt"}, "give `language`"),
        ({"path": "a.py", "language": "ada"}, "accepted are"),
        ({}, "'path' is missing"),
        ({"path": 3}, "argument 'path'"),
    ):
        with pytest.raises(BadArguments, match=message):
            await submit.call(wrong)


def test_cut_keeps_both_ends_and_counts() -> None:
    text = "a" * 50 + "b" * 50
    assert cut(text, 100) == text
    assert cut(text, 20) == "a" * 10 + "\n[… 80 characters cut …]\n" + "b" * 10
    assert "5 more characters cut" in cut("abc", 100, dropped=5)


def test_control_characters_are_spelled_out() -> None:
    assert readable("a\x00\x1b[1m\r\nb\tc\ud800") == "a\\x00\\x1b[1m\nb\tc\\xd800"


def test_how_a_program_ended_is_told() -> None:
    def shown(ended: str, exit_code: int | None = 0, stdout: str = "") -> str:
        output = Output(stdout, "", exit_code, ended, 1.0, len(stdout))
        return show_output(output, timeout_s=2, memory_bytes=1 << 20, limit=100)

    assert shown("exited") == "[no output]"
    assert shown("exited", 3, "x\n") == "x\n[exit code 3]"
    assert "2 s" in shown("timeout", None)
    assert "1 MiB" in shown("memory", None)
