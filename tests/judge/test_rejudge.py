"""`agent rejudge`: new verdicts beside the old ones, nothing generated, nothing overwritten."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from agent.judge.verdict import Judgement, Submission, Verdict
from agent.modes import End, Generation
from agent.run.plan import Cell, plan
from agent.run.store import RunStore
from agent.suite.load import load_suite

SLOW = "import time\nwhile time.process_time() < 0.6: pass\nprint(sum(map(int, input().split())))"
GOOD = "print(sum(map(int, input().split())))"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A finished run of three attempts, two with the same submission."""
    folder = tmp_path / "problems" / "sum"
    (folder / "tests").mkdir(parents=True)
    (folder / "problem.yaml").write_text("title: Sum\ndifficulty: easy\nlimits: {time_s: 0.3}\n")
    (folder / "statement.md").write_text("Add.")
    (folder / "tests" / "1.in").write_text("1 2\n")
    (folder / "tests" / "1.ans").write_text("3\n")
    suite = load_suite(tmp_path / "problems")
    cell = Cell("m", "reasoning", "hash", None, None, {})
    store = RunStore(tmp_path / "run")
    store.set_meta("commands", [["run", "--suite", str(tmp_path / "problems")]])
    store.add_problems(suite.problems)
    store.add_cell(cell)
    store.add_judging({"sandbox": "bubblewrap"})
    store.add_attempts(plan([cell], ["sum"], n=3, run_seed=0))

    async def fill() -> None:
        for owed, source in zip(store.owed(), (SLOW, SLOW, GOOD), strict=True):
            submission = Submission(source, "python")
            await store.add_generation(
                owed.id, Generation(End.SUBMITTED, submission, ({"role": "user"},))
            )
            verdict = Verdict.TLE if source == SLOW else Verdict.AC
            await store.add_judgement(suite.problems[0], submission, Judgement(verdict))

    asyncio.run(fill())
    store.close()
    return tmp_path / "run"


def agent(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "agent.cli.main", "rejudge", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_a_larger_limit_changes_a_verdict(run: Path) -> None:
    with sqlite3.connect(run / "run.sqlite") as db:
        before = db.execute("SELECT * FROM judgements").fetchall()
    done = agent(run, "--time-limit", "x10", "--sandbox", "bubblewrap", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["judging"], found["judged"], found["failed"]) == (2, 2, 0)
    (change,) = found["changes"]
    assert (change["before"], change["after"], change["attempts"]) == ("TLE", "AC", 2)
    with sqlite3.connect(run / "run.sqlite") as db:
        assert db.execute("SELECT * FROM judgements WHERE judging = 1").fetchall() == before
        verdicts = db.execute("SELECT verdict FROM judgements WHERE judging = 2").fetchall()
        settings = json.loads(
            db.execute("SELECT settings FROM judgings WHERE id = 2").fetchone()[0]
        )
        outcomes = db.execute("SELECT verdict FROM outcomes ORDER BY attempt").fetchall()
    assert verdicts == [("AC",), ("AC",)]
    assert settings["time_limit"] == "x10"
    assert outcomes == [("TLE",), ("TLE",), ("AC",)]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [(["--time-limit", "fast"], "--time-limit fast"), (["--suite", "nothing"], "nothing")],
)
def test_wrong_commands(run: Path, arguments: list[str], told: str) -> None:
    done = agent(run, *arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_not_a_run(tmp_path: Path) -> None:
    done = agent(tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "not a run" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_changed_tests_are_refused(run: Path) -> None:
    (run.parent / "problems" / "sum" / "tests" / "1.ans").write_text("4\n")
    done = agent(run, "--sandbox", "bubblewrap")
    assert done.returncode == 2
    assert "has changed" in done.stderr
