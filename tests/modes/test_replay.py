"""`agent replay` on a stored attempt."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from agent.models.script import Reply
from agent.run.plan import Cell, plan
from agent.run.store import RunStore
from tests.cli.command import AGENT
from tests.modes.conftest import GOOD, Room, answer_of, call, calls


async def test_replay(plain: Room, tmp_path: Path) -> None:
    replies = [calls(call("nothing")), Reply("odd \x1b[31m text"), Reply(answer_of(GOOD))]
    done = await plain.attempt("tool_use", replies)
    cell = Cell("m", "tool_use", "hash")
    store = RunStore(tmp_path / "run")
    store.add_problems([plain.problem])
    store.add_cell(cell)
    store.add_judging({})
    store.add_attempts(plan([cell], ["sum"], n=2, run_seed=0))
    await store.add_generation(1, done)
    store.close()

    def replay(*words: str) -> subprocess.CompletedProcess[str]:
        command = [str(AGENT), "replay", "run", *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)

    shown = replay("1").stdout
    for text in ("Read a and b.", "There is no tool 'nothing'", "\\x1b[31m", "print(a + b)"):
        assert text in shown
    assert "\x1b" not in shown
    stored = json.loads(replay("1", "--json").stdout)
    assert stored["transcript"] == json.loads(json.dumps(list(done.transcript)))
    assert (stored["end"], stored["turns"]) == ("submitted", 3)
    owed, absent = replay("2"), replay("99")
    assert (owed.returncode, absent.returncode) == (2, 2)
    assert "has not ended yet" in owed.stderr
    assert "there are 1 to 2" in absent.stderr
