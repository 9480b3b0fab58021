"""Reading and combining runs: snapshots, bad input, comparability."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from agent.errors import UsageError
from agent.report.combine import load
from agent.report.read import OUTCOMES, connect, read_judging, read_run
from tests.report import synthetic


@pytest.fixture
def world() -> synthetic.World:
    return synthetic.frontier_world(problems=6)


def test_columns_are_what_was_written(tmp_path: Path, world: synthetic.World) -> None:
    drawn = synthetic.write(tmp_path / "a", world, n=5, errors=3)
    data = load([tmp_path / "a"])
    assert data.planned == drawn.size
    assert data.complete
    for code, name in enumerate(synthetic.OUTCOMES):
        expected = (drawn == code).sum(axis=2)
        assert (data.counts[:, :, OUTCOMES.index(name)] == expected).all()
    assert sum(t.count for t in data.runs[0].trouble) == 3
    assert [c.mode for c in data.cells[::5]] == ["reasoning", "tool_use", "agentic"]


def test_every_column_equals_a_plain_query(tmp_path: Path, world: synthetic.World) -> None:
    synthetic.write(tmp_path / "a", world, n=2, done=0.8)
    a = load([tmp_path / "a"]).attempts
    with connect(tmp_path / "a") as db:
        rows = db.execute("SELECT * FROM outcomes ORDER BY attempt").fetchall()
        names = [d[0] for d in db.execute("SELECT * FROM outcomes LIMIT 0").description]
    order = np.argsort(a.id)
    for name in ("sample", "prompt_tokens", "turns", "wall_s", "submission", "coverage"):
        stored = [row[names.index(name)] for row in rows]
        mine = getattr(a, name)[order].tolist()
        for x, y in zip(mine, stored, strict=True):
            assert (x == y) if y is not None else (x == -1 or x != x)
    outcomes = [row[names.index("outcome")] or "owed" for row in rows]
    assert [OUTCOMES[code] for code in a.outcome[order]] == outcomes


def test_a_run_that_is_being_written_is_one_snapshot(
    tmp_path: Path, world: synthetic.World
) -> None:
    synthetic.write(tmp_path / "a", world, n=2, done=0.5)
    writer = sqlite3.connect(tmp_path / "a" / "run.sqlite", isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("DELETE FROM generations")
    before = load([tmp_path / "a"]).finished  # the open transaction is not seen, and not waited for
    writer.execute("ROLLBACK")
    assert before == load([tmp_path / "a"]).finished > 0
    writer.close()


def test_a_read_only_folder_can_be_read(tmp_path: Path, world: synthetic.World) -> None:
    synthetic.write(tmp_path / "a", world, n=1)
    sealed = tmp_path / "sealed"
    sealed.mkdir()
    shutil.copy(tmp_path / "a" / "run.sqlite", sealed)
    sealed.chmod(0o555)
    assert load([sealed]).planned == 90
    sealed.chmod(0o755)


def test_empty_run(tmp_path: Path) -> None:
    synthetic.create(tmp_path / "e").close()
    data = load([tmp_path / "e"])
    assert data.planned == 0
    assert data.counts.shape == (0, 0, 5)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"hello, this is no database at all, but long enough to look like one" * 20, "not a run"),
        (b"", "not a run"),
    ],
)
def test_what_is_not_a_run_is_named(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "run.sqlite").write_bytes(content)
    with pytest.raises(UsageError, match=said) as caught:
        load([tmp_path])
    assert "\n" not in str(caught.value)


def test_foreign_newer_and_damaged_files(tmp_path: Path, world: synthetic.World) -> None:
    foreign = sqlite3.connect(tmp_path / "foreign.sqlite")
    foreign.execute("CREATE TABLE t (x)")
    foreign.commit()
    foreign.close()
    with pytest.raises(UsageError, match="tables are others"):
        load([tmp_path / "foreign.sqlite"])
    synthetic.write(tmp_path / "a", world, n=4)
    file = tmp_path / "a" / "run.sqlite"
    damaged = bytearray(file.read_bytes())
    damaged[len(damaged) // 8 : len(damaged) * 7 // 8] = b"\xff" * (
        len(damaged) * 7 // 8 - len(damaged) // 8
    )
    broken = tmp_path / "broken.sqlite"
    broken.write_bytes(damaged)
    with pytest.raises(UsageError, match=r"broken\.sqlite"):
        load([broken])
    db = sqlite3.connect(file)
    db.execute("PRAGMA user_version = 999")
    db.close()
    with pytest.raises(UsageError, match="newer"):
        load([tmp_path / "a"])


def test_missing_paths_help(tmp_path: Path, world: synthetic.World) -> None:
    with pytest.raises(UsageError, match="no such run"):
        load([tmp_path / "nothing"])
    synthetic.write(tmp_path / "inside", world, n=1)
    with pytest.raises(UsageError, match=r"did you mean .*inside"):
        load([tmp_path])


def test_runs_add_up(tmp_path: Path, world: synthetic.World) -> None:
    synthetic.write(tmp_path / "a", world, n=2, seed=1)
    synthetic.write(tmp_path / "b", world, n=3, seed=2)
    data = load([tmp_path / "a", tmp_path / "b", tmp_path / "a"])
    assert len(data.runs) == 2
    assert len(data.cells) == 15
    assert (data.done == 5).all()
    assert not data.notes


def test_modes_in_runs_of_their_own_make_one_grid(tmp_path: Path) -> None:
    for mode in ("agentic", "reasoning"):
        world = synthetic.frontier_world(modes=(mode,), problems=6)
        synthetic.write(tmp_path / mode, world, n=2)
    data = load([tmp_path / "agentic", tmp_path / "reasoning"])
    assert data.modes == ("reasoning", "agentic")
    assert data.find("ckpt_alpha0.5", "agentic") == 7


def test_what_cannot_be_compared_is_refused_by_name(tmp_path: Path, world: synthetic.World) -> None:
    synthetic.write(tmp_path / "a", world, n=1)
    synthetic.write(tmp_path / "slow", world, n=1, time_limit_s=3.0)
    synthetic.write(tmp_path / "cold", world, n=1, temperature=0.2)
    judging = {"all_tests": False, "sandbox": "docker", "judge": "2", "machine": "m1"}
    synthetic.write(tmp_path / "other", world, n=1, judging=judging)
    elsewhere = {"all_tests": True, "sandbox": "docker", "judge": "1", "machine": "m2"}
    synthetic.write(tmp_path / "moved", world, n=1, seed=9, judging=elsewhere)
    for name, said in (
        ("slow", "time limit 1 s in a, 3 s in slow"),
        ("cold", "sampling.temperature 1.0 → 0.2"),
        ("other", "judge: 1 in a, 2 in other"),
    ):
        with pytest.raises(UsageError, match=said):
            load([tmp_path / "a", tmp_path / name])
        forced = load([tmp_path / "a", tmp_path / name], force=True)
        assert sum(cell.marked for cell in forced.cells) == 15
        assert forced.differences
    moved = load([tmp_path / "a", tmp_path / "moved"])
    assert any("m2" in note for note in moved.notes)


def test_other_weights_under_one_name_are_refused(tmp_path: Path, world: synthetic.World) -> None:
    for name, seed in (("a", 1), ("b", 2)):
        synthetic.write(tmp_path / name, world, n=2, seed=seed)
    with sqlite3.connect(tmp_path / "b" / "run.sqlite") as db:
        db.execute('UPDATE cells SET identity = \'{"weights": "other"}\' WHERE id = 1')
    with pytest.raises(UsageError, match=r"model ckpt_alpha\S+: weights .* in a, other in b"):
        load([tmp_path / "a", tmp_path / "b"])
    assert any(cell.marked for cell in load([tmp_path / "a", tmp_path / "b"], force=True).cells)


def test_every_infrastructure_error_is_counted(tmp_path: Path, world: synthetic.World) -> None:
    synthetic.write(tmp_path / "a", world, n=2)
    with sqlite3.connect(tmp_path / "a" / "run.sqlite") as db:
        db.executemany(
            "INSERT INTO errors (attempt, at, stage, message) VALUES (?, 1, 'model', ?)",
            [(1 + i % 3, f"request {i % 40}\nfailed") for i in range(90)],
        )
    trouble = load([tmp_path / "a"]).runs[0].trouble
    assert len(trouble) == 21
    assert sum(t.count for t in trouble) == 90
    assert trouble[-1].message == "other messages"
    assert trouble[-1].attempts == 3


def test_repeated_seeds_are_noted(tmp_path: Path, world: synthetic.World) -> None:
    synthetic.write(tmp_path / "a", world, n=1, seed=5)
    synthetic.write(tmp_path / "b", world, n=1, seed=5)
    assert "repetitions" in load([tmp_path / "a", tmp_path / "b"]).notes[0]


def test_another_judging_is_read_beside_the_first(tmp_path: Path, world: synthetic.World) -> None:
    synthetic.write(tmp_path / "a", world, n=2)
    db = sqlite3.connect(tmp_path / "a" / "run.sqlite")
    db.execute("INSERT INTO judgings VALUES (2, 1.0, '{\"time_factor\": 3}')")
    db.execute(
        "INSERT INTO judgements (judging, problem, submission, judged_at, verdict, outcome,"
        " coverage, passed, detail)"
        " SELECT 2, problem, submission, 1.0, 'AC', 'solved', 127, 5, '{}' FROM judgements"
    )
    db.commit()
    db.close()
    run = read_run(tmp_path / "a")
    outcome = read_judging(run.path, 2, run.attempts.id)
    without = run.attempts.submission < 0
    assert {OUTCOMES[o] for o in outcome[~without]} == {"solved"}
    assert {OUTCOMES[o] for o in outcome[without]} <= {"no_submission"}


def test_odd_values_in_a_file_are_no_trouble(tmp_path: Path, world: synthetic.World) -> None:
    synthetic.write(tmp_path / "a", world, n=2)
    with sqlite3.connect(tmp_path / "a" / "run.sqlite") as db:
        db.execute("UPDATE generations SET \"end\" = 'it''s \"odd\"' WHERE attempt = 1")
        db.execute("UPDATE generations SET \"end\" = CAST(x'610062' AS TEXT) WHERE attempt = 2")
        db.execute("UPDATE problems SET info = '{}'")
        db.execute("UPDATE cells SET settings = 'no json', identity = '[1]'")
    data = load([tmp_path / "a"])
    assert data.ends[data.attempts.end[data.attempts.id == 1][0]] == 'it\'s "odd"'
    assert data.attempts.end[data.attempts.id == 2][0] == -1
    assert len(set(data.clusters.tolist())) == 6
    with sqlite3.connect(tmp_path / "a" / "run.sqlite") as db:
        db.execute("UPDATE problems SET info = '{broken'")
    with pytest.raises(UsageError, match="malformed JSON"):
        load([tmp_path / "a"])
