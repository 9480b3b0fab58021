"""Whole attempts with tools: a scripted server, a real sandbox, the real judge."""

from __future__ import annotations

from agent.models.script import Reply
from agent.modes import End
from tests.modes.conftest import BAD, GOOD, SECRET, Room, answer_of, call, calls, results


async def test_tool_use_stateless(room: Room) -> None:
    replies = [
        calls(call("python", code="x = 1\nprint(open('samples/1.in').read())\n1/0")),
        calls(call("python", code="print(x)"), call("python", code="while True: pass")),
        Reply(answer_of(GOOD)),
    ]
    done = await room.attempt("tool_use", replies, tool_s=1.0)
    assert done.end is End.SUBMITTED
    assert done.submission is not None
    assert done.submission.source == GOOD
    assert (done.turns, done.tool_calls) == (3, 3)
    first, second, third = results(done)
    assert first.startswith("1 2\n")  # what was printed before the exception is kept
    assert "ZeroDivisionError" in first
    assert "NameError" in second
    assert "after the limit of 1 s" in third
    told = room.requests[-1]["messages"]
    assert [m["role"] for m in told] == ["user", "assistant", "tool", "assistant", "tool", "tool"]
    assert "turns and" in told[2]["content"].splitlines()[-1]


async def test_tool_use_session(room: Room) -> None:
    replies = [
        calls(call("python", code="x = 20\nx + 1")),
        calls(call("python", code="while True: pass")),
        calls(call("python", code="x")),
        calls(call("python", code="import os; os.kill(os.getpid(), 9)")),
        calls(call("python", code="x")),
        Reply(answer_of(GOOD)),
    ]
    done = await room.attempt("tool_use", replies, variant="session", tool_s=1.0)
    assert done.end is End.SUBMITTED
    echoed, stopped, kept, killed, lost = results(done)
    assert echoed == "21"
    assert "variables are kept" in stopped
    assert kept == "20"
    assert "a new one was started" in killed
    assert "NameError" in lost


async def test_agentic(room: Room) -> None:
    replies = [
        calls(call("bash", command="cd samples; X=5; sleep 300 & echo in $PWD")),
        calls(call("bash", command="jobs; echo $X in $PWD; cat")),
        calls(call("bash", command="sleep 60", timeout=0.5)),
        calls(call("bash", command="echo $X; vi nothing", timeout=0.5)),
        calls(call("create", path="a.py", content=BAD), call("run_tests", path="a.py")),
        calls(call("submit", path="a.py"), call("edit", path="a.py", old=BAD, new=GOOD)),
        calls(call("view", path="/work/a.py"), call("run_tests", path="a.py")),
        calls(call("create", path="my.in", content="4 5\n")),
        calls(call("run_tests", path="a.py", input="my.in"), call("submit", path="a.py")),
        Reply("Done."),
    ]
    done = await room.attempt("agentic", replies, tool_s=5.0)
    assert done.end is End.SUBMITTED
    assert done.submission is not None
    assert done.submission.source == GOOD  # the last one counts
    got = results(done)
    assert "in /work/samples" in got[0]
    assert "sleep 300" in got[1]
    assert "5 in /work/samples" in got[1]
    assert "still running after 0.5 s" in got[2]
    assert got[3].startswith("5\n")
    assert "sample 1: WA" in got[5]
    assert "submitted" in got[6]
    assert "print(a + b)" in got[8]
    assert "sample 1: AC" in got[9]
    assert "output:\n9" in got[11]


async def test_hidden_tests_are_absent_from_the_workspace(room: Room) -> None:
    # All but the system's own programs, where nothing of ours can be written.
    skip = " ".join(f"--exclude-dir={name}" for name in ("proc", "sys", "usr", "lib", "lib64"))
    search = f"grep -rs {skip} '{SECRET.decode()[:20]}' / | head -3"
    look = "env; ls samples"
    replies = [
        # The pattern itself is in our command, so what runs it is searched for in files alone.
        calls(call("bash", command=search), call("bash", command=look)),
        Reply(answer_of(GOOD)),
    ]
    done = await room.attempt("agentic", replies, tool_s=60.0)
    found, listed = results(done)
    assert found == "[no output]"
    assert listed.splitlines()[-2:] == ["1.ans", "1.in"]


async def test_hostile_commands_leave_a_working_shell(room: Room) -> None:
    commands = [
        "rm -rf --no-preserve-root / 2>/dev/null; echo $?",
        "kill -9 -1",
        "exit 3",
        "trap '' INT TERM; while true; do :; done",
        "yes",
        "printf '\\0\\033[31m\\377'",
        "cat /proc/1/mem /proc/self/mem 2>&1 | head -c 100",
    ]
    replies = [calls(*(call("bash", command=c) for c in commands)) for _ in range(1)]
    replies += [calls(call("bash", command="echo alive")), Reply(answer_of(GOOD))]
    done = await room.attempt("agentic", replies, tool_s=1.0)
    assert done.end is End.SUBMITTED
    assert results(done)[-1] == "alive"
    assert "\\x00\\x1b[31m" in results(done)[5]
