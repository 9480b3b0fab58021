"""Exported attempts come back as they were, and the documented example runs."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from agent.cli.main import app
from agent.report.combine import load
from agent.report.export import columns, write_csv, write_jsonl
from tests.report import synthetic

DOCS = Path(__file__).resolve().parents[2] / "docs" / "report.md"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "a"
    synthetic.write(folder, synthetic.frontier_world(problems=8), n=3, done=0.8)
    return folder


def _expected(run: Path) -> list[dict]:
    table = columns(load([run]))
    lists = [values.tolist() for values in table.values()]
    return [dict(zip(table, row, strict=True)) for row in zip(*lists, strict=True)]


def test_json_lines_round_trip(run: Path) -> None:
    out = io.StringIO()
    write_jsonl(load([run]), out)
    assert [json.loads(line) for line in out.getvalue().splitlines()] == _expected(run)


def test_csv_round_trip(run: Path) -> None:
    out = io.StringIO()
    write_csv(load([run]), out)
    rows = list(csv.DictReader(io.StringIO(out.getvalue())))
    for mine, stored in zip(rows, _expected(run), strict=True):
        for name, value in stored.items():
            text = mine[name]
            if value is None:
                assert text == ""
            elif isinstance(value, float):
                assert float(text) == value
            else:
                assert text == str(value)


def test_parquet_round_trip(run: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    out = tmp_path / "a.parquet"
    result = CliRunner().invoke(app, ["export", str(run), "--parquet", "-o", str(out)])
    assert result.exit_code == 0, result.output
    assert parquet.read_table(out).to_pylist() == _expected(run)


def test_owed_attempts_are_rows(run: Path) -> None:
    rows = _expected(run)
    assert len(rows) == 360
    owed = [row for row in rows if row["outcome"] == "owed"]
    assert owed
    assert all(row["verdict"] is None and row["wall_s"] is None for row in owed)
    done = [row for row in rows if row["outcome"] == "solved"]
    assert all(row["r_full"] and row["verdict"] == "AC" for row in done)


def test_an_empty_run_exports_its_header(tmp_path: Path) -> None:
    synthetic.create(tmp_path / "e").close()
    result = CliRunner().invoke(app, ["export", str(tmp_path / "e"), "--csv"])
    assert result.exit_code == 0
    assert result.stdout.startswith("run,attempt,model")
    assert len(result.stdout.splitlines()) == 1


@pytest.mark.parametrize("arguments", [[], ["--csv", "--jsonl"], ["--parquet"]])
def test_wrong_options_are_refused(run: Path, arguments: list[str]) -> None:
    result = CliRunner().invoke(app, ["export", str(run), *arguments])
    assert type(result.exception).__name__ == "UsageError"


def test_the_documented_example_runs(run: Path, tmp_path: Path, monkeypatch) -> None:
    pytest.importorskip("polars")
    monkeypatch.chdir(tmp_path)
    CliRunner().invoke(app, ["export", str(run), "--parquet", "-o", "attempts.parquet"])
    code = re.search(r"```python\n(.*?)```", DOCS.read_text(), re.S)
    assert code
    scope: dict = {}
    exec(compile(code[1], str(DOCS), "exec"), scope)
    data = load([run])
    solved = data.counts[:, :, 1] / np.maximum(data.done, 1)
    first = scope["rates"].filter(model="ckpt_alpha0", mode="agentic")["solve_rate"].item()
    cell = data.find("ckpt_alpha0", "agentic")
    tried = data.done[cell] > 0
    assert first == pytest.approx(solved[cell][tried].mean())
