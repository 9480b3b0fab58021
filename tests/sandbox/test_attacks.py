"""Hostile programs. Each file of `attacks/` says in its first lines how it must end.

`expect:` alternatives separated by `|`: "exited CODE", "signaled NUMBER", or a limit's name.
`stdout:` what it prints, where that matters.
"""

from __future__ import annotations

import re
from pathlib import Path

from agent.sandbox import Backend, Command, Execution, Limits, Sandbox
from tests.sandbox.conftest import SPEC

ATTACKS = sorted(Path(__file__).with_name("attacks").iterdir())
LIMITS = Limits(
    cpu_s=0.5, idle_s=1.0, memory_bytes=128 << 20, wall_s=20, pids=32, stdout_bytes=1 << 20
)
FLOODS = (
    "inodes.py",
    "stderr_flood.c",
    "kill_numbers.py",
    "write_outside.py",
    "secret_canary.py",
    "setuid.py",
)


def ending(execution: Execution) -> str:
    if execution.exit_code is not None and execution.ended == "exited":
        return f"exited {execution.exit_code}"
    if execution.ended == "signaled":
        return f"signaled {execution.signal}"
    return str(execution.ended)


async def attack(sandbox: Sandbox, path: Path) -> str:
    """Runs one; returns "" or what is wrong."""
    source = path.read_bytes()
    header = dict(re.findall(r"^(?://|#) (expect|stdout): (.*)$", source.decode(), re.M))
    if path.suffix == ".c":
        await sandbox.put({"main.c": source})
        argv = ("gcc", "-O1", "-w", "-pthread", "-o", "main", "main.c")
        done = await sandbox.run(Command(argv, Limits(10, 20, 400 << 20)))
        assert done.exit_code == 0, (path.name, done)
        argv = ("./main",)
    else:
        await sandbox.put({"main.py": source})
        argv = ("python3", "main.py")
    limits = LIMITS
    if path.name in FLOODS:  # honest work of more than half a second, or a wait of su
        limits = Limits(5, 5, 128 << 20, pids=32)
    done = await sandbox.run(Command(argv, limits, stdin=b"input\n"))
    problems = []
    if ending(done) not in header["expect"].split("|"):
        problems.append(f"ended {ending(done)}, not {header['expect']}")
    if "stdout" in header and done.stdout.decode().strip() != header["stdout"]:
        problems.append(f"printed {done.stdout[:300]!r}")
    if done.ended == "cpu_limit" and done.cpu_s > limits.cpu_s + 0.25:
        problems.append(f"was killed at {done.cpu_s} s of CPU")
    if problems:
        problems.append(done.stderr.decode(errors="replace")[-300:])
    return f"{path.name}: {'; '.join(problems)}" if problems else ""


async def test_attacks(backend: Backend, tmp_path: Path) -> None:
    """None escapes, none reaches a neighbour, none leaves anything for the next."""
    (tmp_path / "expected").write_text("canary-7f3a")
    neighbour = await backend.start(SPEC)
    sandbox = await backend.start(SPEC)
    try:
        await neighbour.put({"expected": b"canary-7f3a"})
        calm = Limits(600, 600, 64 << 20)
        bystander = await neighbour.start(Command(("cat",), calm, fresh=False))
        problems = []
        for path in ATTACKS:
            problems.append(await attack(sandbox, path))
            if path.name == "input_link.py":
                await links_are_not_followed(sandbox)
            if not path.name.startswith("leftover"):
                await sandbox.reset()
        await bystander.write(b"alive")
        assert await bystander.read() == b"alive"
        assert await neighbour.get("expected") == b"canary-7f3a"
        assert [problem for problem in problems if problem] == []
    finally:
        await neighbour.close()
        await sandbox.close()


async def links_are_not_followed(sandbox: Sandbox) -> None:
    for path in ("link", "fifo"):
        try:
            content = await sandbox.get(path)
        except ValueError:
            continue
        raise AssertionError(f"{path} was read: {content[:50]!r}")
    for path in ("folder/passwd", "folder/file"):
        for work in (sandbox.get(path), sandbox.put({path: b"x"})):
            try:
                await work
            except (ValueError, FileNotFoundError):
                continue
            raise AssertionError(f"{path} was reached through a link")
    await sandbox.put({"link": b"plain"})
    assert await sandbox.get("link") == b"plain"


def test_there_are_enough() -> None:
    assert len(ATTACKS) >= 40
