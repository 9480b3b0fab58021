"""The grid of a run that is going on."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from agent.cli.main import app
from agent.report.status import duration, status
from tests.report import synthetic


def test_counts_and_time_left(tmp_path: Path) -> None:
    world = synthetic.frontier_world((0.0, 1.0), ("reasoning",), 20)
    drawn = synthetic.write(tmp_path / "a", world, n=5, done=0.5, errors=4)
    newest = 1.7e9 + drawn.size * 0.25
    cells = status([tmp_path / "a"], now=newest)
    assert [c.planned for c in cells] == [100, 100]
    for c in cells:
        parts = c.solved + c.correctness_failures + c.optimization_failures + c.no_submission
        assert c.done == parts == 100 - c.owed
        assert c.eta_s is not None
        assert 0 < c.eta_s < 3600
    assert sum(c.errors for c in cells) == 4
    assert all(
        c.eta_s is None for c in status([tmp_path / "a"], now=newest + 1e5)
    )  # it stands still


def test_durations_read_well() -> None:
    assert [duration(s) for s in (None, 0, 45, 600, 7500)] == [
        "–", "done", "45 s", "10 min", "2 h 05 min",
    ]  # fmt: skip


def test_the_command(tmp_path: Path) -> None:
    synthetic.write(tmp_path / "a", synthetic.frontier_world(problems=4), n=2, done=0.7)
    result = CliRunner().invoke(app, ["status", str(tmp_path / "a"), "--json"])
    value = json.loads(result.stdout)
    assert value["planned"] == value["done"] + value["owed"] == 120
    shown = CliRunner().invoke(app, ["status", str(tmp_path / "a")])
    assert f"{value['done']} of 120 attempts done" in shown.stdout
    assert "ckpt_alpha-0.5" in shown.stdout
    synthetic.create(tmp_path / "e").close()
    assert "0 of 0" in CliRunner().invoke(app, ["status", str(tmp_path / "e")]).stdout
