"""`agent run` as a user types it: real sandboxes, the real judge, a scripted model over HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent.models.script import Reply, Rule, Script
from agent.models.scripted import ScriptedServer
from tests.cli.command import AGENT, agent
from tests.conftest import ROOT

PROBLEMS = ROOT / "tasks" / "problems"
NAMES = ("pair-sums", "equal-pairs")
SANDBOXES = [pytest.param("docker", marks=pytest.mark.docker), "bubblewrap"]


def source(problem: str, kind: str) -> str:
    return (PROBLEMS / problem / "references" / f"{kind}.py").read_text()


def title(problem: str) -> str:
    return (PROBLEMS / problem / "problem.yaml").read_text().partition("title: ")[2].split("\n")[0]


def script(latency_s: float = 0.0) -> Script:
    """Reasons wrongly on one problem and rightly on the other; uses tools in the other modes."""
    rules = []
    for problem, kind in (("pair-sums", "fast"), ("equal-pairs", "brute")):
        code = source(problem, kind)
        answer = Reply(f"Here it is.\n```python\n{code}\n```", latency_s=latency_s)
        use = Reply(tool_calls=(("python", json.dumps({"code": "print(6 * 7)"})),))
        write = Reply(
            tool_calls=(
                ("create", json.dumps({"path": "solution.py", "content": code})),
                ("submit", json.dumps({"path": "solution.py"})),
            )
        )
        name = title(problem).strip("\"'")
        rules += [
            Rule([write], contains=name, matches="submit", turn=1, tools=True),
            Rule([use], contains=name, turn=1, tools=True),
            Rule([answer], contains=name),
        ]
    return Script(rules=rules, model="there")


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer(script(0.1)) as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    problems = "".join(f"  - path: {PROBLEMS / name}\n" for name in NAMES)
    (tmp_path / "suite.yaml").write_text(f"name: s\nproblems:\n{problems}")
    return tmp_path


async def start(folder: Path, server: ScriptedServer, *options: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        str(AGENT),
        *("run", "--suite", "suite.yaml", "--model", "there", "--base-url", server.base_url),
        *("--out", "out", "--json", *options),
        cwd=folder,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def finish(process: asyncio.subprocess.Process) -> dict[str, int]:
    out, err = await asyncio.wait_for(process.communicate(), 240)
    assert process.returncode == 0, err.decode()
    summary: dict[str, int] = json.loads(out)
    return summary


def outcomes(folder: Path) -> dict[tuple[str, str], set[str | None]]:
    db = sqlite3.connect(folder / "out" / "run.sqlite")
    found: dict[tuple[str, str], set[str | None]] = {}
    for mode, problem, outcome in db.execute("SELECT mode, problem_name, outcome FROM outcomes"):
        found.setdefault((mode, problem), set()).add(outcome)
    return found


@pytest.mark.parametrize("sandbox", SANDBOXES)
async def test_three_modes_end_in_real_verdicts(
    folder: Path, server: ScriptedServer, sandbox: str
) -> None:
    modes = ("reasoning", "tool_use", "agentic")
    process = await start(
        folder, server, "--mode", ",".join(modes), "-n", "2", "--sandbox", sandbox
    )
    summary = await finish(process)
    assert (summary["planned"], summary["done"], summary["owed"]) == (12, 12, 0)
    assert outcomes(folder) == {
        (mode, problem): {outcome}
        for mode in modes
        for problem, outcome in (
            ("pair-sums", "solved"),
            ("equal-pairs", "optimization_failure"),
        )
    }


@pytest.mark.parametrize("sandbox", SANDBOXES)
async def test_killed_half_way_and_reissued_nothing_is_lost_or_made_twice(
    folder: Path, server: ScriptedServer, sandbox: str
) -> None:
    options = ("-n", "30", "--concurrency", "4", "--sandbox", sandbox)
    process = await start(folder, server, *options)
    database = folder / "out" / "run.sqlite"
    stored: set[tuple[int, float]] = set()
    async with asyncio.timeout(120):
        while len(stored) < 10:
            await asyncio.sleep(0.1)
            if database.exists():
                stored = generations(database)
    process.send_signal(signal.SIGKILL)
    await process.wait()
    stored = generations(database)
    assert len(stored) < 60

    summary = await finish(await start(folder, server, *options))
    assert (summary["planned"], summary["done"], summary["owed"]) == (60, 60, 0)
    after = generations(database)
    assert stored <= after  # what was done was not done again
    assert len(after) == 60


def generations(database: Path) -> set[tuple[int, float]]:
    try:
        with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as db:
            return set(db.execute("SELECT attempt, ended_at FROM generations"))
    except sqlite3.OperationalError:  # not made yet
        return set()


async def test_interrupted_once_it_finishes_what_runs_and_exits_130(
    folder: Path, server: ScriptedServer
) -> None:
    process = await start(
        folder, server, "-n", "50", "--concurrency", "2", "--sandbox", "bubblewrap"
    )
    database = folder / "out" / "run.sqlite"
    async with asyncio.timeout(120):
        while len(generations(database)) < 4:
            await asyncio.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, _ = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == 130
    summary = json.loads(out)
    assert summary["interrupted"]
    assert 4 <= summary["done"] < 100


async def test_more_samples_and_modes_extend_a_run(folder: Path, server: ScriptedServer) -> None:
    base = ("--sandbox", "bubblewrap")
    await finish(await start(folder, server, "-n", "1", *base))
    summary = await finish(await start(folder, server, "-n", "2", *base))
    assert summary["planned"] == 4
    summary = await finish(await start(folder, server, "-n", "1", "--mode", "tool_use", *base))
    assert summary["planned"] == summary["done"] == 6
    process = await start(folder, server, "-n", "2", "--temperature", "0.3", *base)
    _, err = await process.communicate()
    assert process.returncode == 2
    assert b"planned with other settings" in err


async def test_no_key_lands_in_the_run(
    folder: Path, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(os.environ, "OPENAI_API_KEY", "sk-planted-0123456789")
    await finish(await start(folder, server, "--sandbox", "bubblewrap"))
    for path in (folder / "out").rglob("*"):
        if path.is_file():
            assert b"sk-planted" not in path.read_bytes(), path


async def test_shards_are_joined_as_the_documentation_shows(
    folder: Path, server: ScriptedServer
) -> None:
    page = (ROOT / "docs" / "cluster.md").read_text()
    shard, join, report = page.partition("```bash\n")[2].partition("```")[0].strip().splitlines()
    assert shard.startswith(
        "agent run --mode reasoning --model ckpt_alpha1.5 --suite tasks/demo.yaml"
    )
    for part in (1, 2, 3):
        options = shard.partition("demo.yaml ")[2].replace("250", "3").replace("3/16", f"{part}/3")
        options = options.replace("runs/part3", f"runs/part{part}").split()
        await finish(await start(folder, server, *options, "--sandbox", "bubblewrap"))
    for command in (join, report):
        name, *arguments = command.split()
        assert name == "agent"
        done = await asyncio.to_thread(agent, *arguments, cwd=folder)
        assert done.returncode == 0, done.stderr
    assert done.stdout or list(folder.glob("**/*.html"))
    with sqlite3.connect(folder / "runs" / "whole" / "run.sqlite") as db:
        assert db.execute("SELECT COUNT(*), COUNT(outcome) FROM outcomes").fetchone() == (6, 6)
