"""Programs that take everything, under an outer cap: the attempt goes on, or ends as it should."""

from __future__ import annotations

from agent.models.script import Reply
from agent.modes import End
from tests.modes.conftest import GOOD, Room, answer_of, call, calls, results
from tests.sandbox.conftest import outer_cap

__all__ = ["outer_cap"]  # a fixture for the whole module

HOLD = "x = bytearray(150 << 20); import time; time.sleep(5)"
CHILDREN = f"import os\nfor _ in range(6):\n    if os.fork() == 0:\n        {HOLD}\nos.wait()"


async def test_memory_of_one_program(room: Room) -> None:
    replies = [
        calls(call("bash", command="python3 -c 'x = bytearray(1 << 30)' 2>&1 | tail -1")),
        calls(call("bash", command="echo alive")),
        Reply(answer_of(GOOD)),
    ]
    done = await room.attempt("agentic", replies, tool_memory_bytes=256 << 20)
    assert results(done) == ["MemoryError", "alive"]


async def test_memory_of_many_programs(room: Room) -> None:
    replies = [
        calls(call("create", path="many.py", content=CHILDREN)),
        calls(call("bash", command="python3 many.py")),
        calls(call("bash", command="ls many.py; echo alive")),
        Reply(answer_of(GOOD)),
    ]
    done = await room.attempt("agentic", replies, tool_memory_bytes=256 << 20, tool_s=8.0)
    assert done.end is End.SUBMITTED
    assert results(done)[-1] == "many.py\nalive"


async def test_a_fork_bomb(room: Room) -> None:
    replies = [
        calls(call("bash", command="f() { f | f & }; f")),
        calls(call("bash", command="echo alive")),
        calls(call("bash", command="echo alive")),
        Reply(answer_of(GOOD)),
    ]
    done = await room.attempt("agentic", replies, tool_s=2.0)
    assert done.end is End.SUBMITTED
    assert "alive" in results(done)[-1].splitlines()  # beside the bomb's own complaints
