"""The report as a file: content, bad data, safety, other formats."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from agent.cli.main import app
from agent.report import render
from agent.report.build import build
from agent.report.combine import load
from agent.report.document import Document, Prose, show
from agent.report.metrics.intervals import Estimate
from agent.report.metrics.passk import pass_at_k
from tests.report import synthetic

SECTIONS = (
    "answer", "completeness", "modes", "frontier", "passk", "comparisons", "problems",
    "sensitivity", "behaviour", "settings", "provenance", "limitations",
)  # fmt: skip


def _document(*paths: Path, **options) -> Document:
    return build(load(paths, **options), read=100)


def _rows(document: Document, key: str) -> list[dict]:
    table = next(t for t in document.tables() if t.key == key)
    return [dict(zip([c.title for c in table.columns], row, strict=True)) for row in table.rows]


def _words(document: Document) -> str:
    return "\n".join(
        p for s in document.sections for b in s.blocks if isinstance(b, Prose) for p in b.paragraphs
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "a"
    synthetic.write(folder, synthetic.frontier_world(problems=60), n=6, errors=2)
    return folder


@pytest.fixture(scope="module")
def document(run: Path) -> Document:
    return _document(run)


def test_the_report_finds_what_is_true(document: Document) -> None:
    world = synthetic.frontier_world(problems=60)
    assert tuple(s.key for s in document.sections) == SECTIONS
    rows = _rows(document, "modes")
    for row, truth in zip(rows, world.probability.mean(axis=1), strict=True):
        wide = 3 * (row["solved"].high - row["solved"].low)
        assert abs(row["solved"].value - truth[0]) < wide
    said = _words(document)
    assert "A trade-off shows" in said
    assert "optimization failures fall" in said
    assert "All 5,400 planned attempts are done. 2 infrastructure errors" in said
    for row in _rows(document, "trends"):
        if row["rate of"] == "correctness failures":
            assert row["Kendall τ"].low > 0


def test_tables_have_keys_and_columns_of_their_own(document: Document) -> None:
    tables = document.tables()
    assert len({t.key for t in tables}) == len(tables)
    for table in tables:
        titles = [c.title for c in table.columns]
        assert len(set(titles)) == len(titles), table.key
        assert all(len(row) == len(titles) for row in table.rows)


def test_shares_add_up_to_one(document: Document) -> None:
    for row in _rows(document, "modes"):
        parts = [v.value for v in row.values() if isinstance(v, Estimate)]
        assert sum(parts) == pytest.approx(1)


def test_passk_table_equals_the_estimator(run: Path) -> None:
    data = load([run])
    row = _rows(build(data, read=0), "passk_reasoning")[0]
    expected = pass_at_k(data.done[0], data.counts[0, :, 1], 5).mean()
    assert row["pass@5"].value == pytest.approx(expected)


def test_the_page_is_complete_and_loads_nothing(document: Document) -> None:
    page = render.html(document)
    assert len(page) < 5_000_000
    for key in SECTIONS:
        assert f'id="{key}"' in page
    assert not re.findall(r'(?:src|href)="(?!#)', page)
    assert "@import" not in page
    assert "url(" not in page
    assert page.count("<script>") == 1
    assert "default-src 'none'" in page
    assert page.count('class="copy"') >= 10


def test_what_models_wrote_stays_text(tmp_path: Path) -> None:
    synthetic.write(tmp_path / "a", synthetic.frontier_world(problems=4), n=2)
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"
    db = sqlite3.connect(tmp_path / "a" / "run.sqlite")
    db.execute("UPDATE submissions SET source = source || ?", (f"# {evil}",))
    db.execute("UPDATE problems SET title = ?, name = name || ?", (evil, evil))
    db.execute(
        "UPDATE cells SET model = model || ?, settings = ?", (evil, json.dumps({"prompt": evil}))
    )
    db.execute(
        "INSERT INTO errors (at, stage, message, attempt) VALUES (1, 'model', ?, 1)", (evil,)
    )
    db.commit()
    document = _document(tmp_path / "a")
    page = render.html(document)
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "onerror=alert(1)&gt;" in page
    outside = re.sub(r"(?ms)^(`{3,})\n.*?\n\1$", "", render.markdown(document))
    assert "<script>alert" not in outside.replace("\\<", "")


def test_an_unfinished_run_says_so_first(tmp_path: Path) -> None:
    synthetic.write(tmp_path / "a", synthetic.frontier_world(problems=9), n=4, done=0.6, errors=7)
    document = _document(tmp_path / "a")
    first = next(b for b in document.sections[0].blocks if isinstance(b, Prose))
    headlines = next(b for b in document.sections[0].blocks if getattr(b, "kind", "") == "answer")
    assert all(p.startswith("Incomplete.") for p in headlines.paragraphs)
    assert first.kind == "warning"
    assert "are owed" in first.paragraphs[0].replace("are\n", "are ")
    for row in _rows(document, "completeness"):
        assert row["planned"] == row["done"] + row["owed"] == 36
        assert row["at most"] - row["solved at least"] == pytest.approx(row["owed"] / 36)
    assert sum(row["with errors"] for row in _rows(document, "completeness")) > 0
    k = [row["pass@4"] for row in _rows(document, "passk_reasoning")]
    assert any(np.isnan(e.value) and "n < 4" in e.reason for e in k)


@pytest.mark.parametrize(
    ("name", "problems", "n", "alphas", "modes", "done"),
    [
        ("one attempt", 1, 1, (0.0,), ("reasoning",), 1.0),
        ("one problem", 1, 6, (0.0, 1.0), ("reasoning", "agentic"), 1.0),
        ("one sample", 8, 1, (0.0, 0.5, 1.0), ("reasoning",), 1.0),
        ("nothing done", 4, 2, (0.0, 1.0), ("reasoning", "tool_use"), 0.0),
        ("hardly anything done", 4, 2, (0.0, 1.0), ("reasoning", "tool_use"), 0.1),
    ],
)
def test_small_and_broken_runs_give_a_correct_partial_report(
    tmp_path: Path, name: str, problems: int, n: int, alphas, modes, done: float
) -> None:
    world = synthetic.frontier_world(alphas, modes, problems)
    synthetic.write(tmp_path / "a", world, n=n, done=done, errors=3)
    document = _document(tmp_path / "a")
    page = render.html(document)
    text = re.sub(r"<script.*?</script>|<style.*?</style>", "", page, flags=re.S)
    assert not re.search(r"\bnan\b", text, re.I)
    assert render.markdown(document)
    assert render.latex(document)
    json.dumps(render.as_json(document), allow_nan=False)


def test_an_empty_run_says_so(tmp_path: Path) -> None:
    synthetic.create(tmp_path / "e").close()
    document = _document(tmp_path / "e")
    assert "nothing to report" in _words(document)
    assert render.html(document)


def test_one_outcome_only(tmp_path: Path) -> None:
    for outcome in range(4):
        table = np.zeros((2, 5, 4))
        table[..., outcome] = 1
        world = synthetic.World((0.0, 1.0), ("reasoning",), table, tuple("abcde"))
        synthetic.write(tmp_path / str(outcome), world, n=3)
        document = _document(tmp_path / str(outcome))
        assert render.html(document)
        values = [row["solved"] for row in _rows(document, "modes")]
        assert all(
            v.value == (1.0 if outcome == 0 else 0.0) and v.high - v.low > 0.1 for v in values
        )


def test_a_missing_mode_is_missing_not_zero(tmp_path: Path) -> None:
    world = synthetic.frontier_world((0.0, 1.0), ("reasoning", "tool_use"), 5)
    synthetic.write(tmp_path / "a", world, n=2)
    db = sqlite3.connect(tmp_path / "a" / "run.sqlite")
    db.execute("DELETE FROM generations WHERE attempt IN (SELECT id FROM attempts WHERE cell > 2)")
    db.commit()
    document = _document(tmp_path / "a")
    assert "tool_use: no finished attempt" in _words(document)
    assert all(
        np.isnan(r["solved"].value) for r in _rows(document, "modes") if r["mode"] == "tool_use"
    )


def test_the_same_cell_twice_gives_a_noise_floor(tmp_path: Path) -> None:
    world = synthetic.frontier_world((0.0, 1.0), ("reasoning",), 40)
    for seed in (1, 2):
        synthetic.write(tmp_path / f"r{seed}", world, n=5, seed=seed)
    document = _document(tmp_path / "r1", tmp_path / "r2")
    rows = _rows(document, "noise_floor")
    assert len(rows) == 2
    assert all(row["solved, second − first"].low < 0.05 for row in rows)
    assert {row["n"] for row in _rows(document, "modes")} == {400}


def test_forced_runs_stay_out_of_curves(tmp_path: Path) -> None:
    world = synthetic.frontier_world((0.0, 0.5, 1.0), ("reasoning",), 10)
    synthetic.write(tmp_path / "a", world, n=2)
    synthetic.write(tmp_path / "b", world, n=2, time_limit_s=2.0)
    document = _document(tmp_path / "a", tmp_path / "b", force=True)
    assert {row["checkpoints"] for row in _rows(document, "trends")} == {3}
    assert sum("†" in row["model"] for row in _rows(document, "modes")) == 3
    assert "marked †" in _words(document)
    assert "†" in render.html(document)


def test_the_answer_says_what_is_shown_and_no_more(tmp_path: Path) -> None:
    """Two modes that truly differ, two models that do not."""
    table = np.zeros((4, 40, 4))
    table[:2, :, 0], table[2:, :, 0] = 0.3, 0.9
    table[..., 1] = 1 - table[..., 0]
    world = synthetic.World((0.0, 1.0), ("reasoning", "agentic"), table, tuple(map(str, range(40))))
    synthetic.write(tmp_path / "a", world, n=8)
    said = _words(_document(tmp_path / "a"))
    assert "agentic is shown to solve more than reasoning in 2 of 2 models, less in 0." in said
    assert said.count("the highest of 2 models; 0 of the other 1 are shown to be lower") == 2


def test_curves_of_every_difficulty_and_scale(tmp_path: Path) -> None:
    world = synthetic.frontier_world((0.0, 0.5, 1.0), ("reasoning",), 9)
    for family, seed in (("small", 1), ("large", 2)):
        synthetic.write(tmp_path / family, world, n=4, seed=seed, family=family)
    document = _document(tmp_path / "small", tmp_path / "large")
    keys = {t.key for t in document.tables()}
    for family in ("small", "large"):
        assert f"frontier_{family}" in keys
        for difficulty in ("easy", "medium", "hard"):
            rows = _rows(document, f"frontier_{family}_{difficulty}")
            assert [row["n"] for row in rows] == [12, 12, 12]
    assert len(_rows(document, "trends_by_difficulty")) == 6
    assert {row["problems"] for row in _rows(document, "ensembles_tokens")} == {9}
    assert {row["k"] for row in _rows(document, "tokens_reasoning_large")} == {1, 2, 4}


def test_copies_are_counted(tmp_path: Path) -> None:
    world = synthetic.frontier_world((0.0, 1.0), ("reasoning",), 10)
    synthetic.write(tmp_path / "a", world, n=6, duplicates=True)
    with sqlite3.connect(tmp_path / "a" / "run.sqlite") as db:
        expected = db.execute(
            "SELECT COUNT(*) - COUNT(DISTINCT a.problem || ' ' || g.submission) FROM generations g"
            " JOIN attempts a ON a.id = g.attempt WHERE a.cell = 1 AND g.submission IS NOT NULL"
        ).fetchone()[0]
    assert _rows(_document(tmp_path / "a"), "duplicates")[0]["copies"] == expected > 0


def test_other_limits_and_attributions(document: Document) -> None:
    for row in _rows(document, "time_limit"):
        assert row["solved, ×0.5"].value <= row["solved, ×0.9"].value <= row["solved, ×1"].value
        least, most = row["optimization at least, ×1.5"], row["solved at most, ×1.5"]
        assert row["solved, ×1"].value <= most <= row["solved at most, ×3"]
        # Nothing but late programs may move.
        moved = row["optimization, ×1"].value - least
        assert most - row["solved, ×1"].value == pytest.approx(moved)
    by_name = {}
    for row in _rows(document, "attribution"):
        by_name.setdefault(row["attribution"], []).append(row["optimization failure"].value)
    moved = zip(by_name["ILE as optimization"], by_name["first (shown above)"], strict=True)
    assert all(a >= b for a, b in moved)


def test_a_longer_limit_moves_only_programs_that_could_end_in_it(tmp_path: Path) -> None:
    table = np.zeros((1, 4, 4))
    table[..., 2] = 1
    world = synthetic.World((0.0,), ("reasoning",), table, tuple("abcd"))
    synthetic.write(tmp_path / "a", world, n=5)
    with sqlite3.connect(tmp_path / "a" / "run.sqlite") as db:
        db.execute("UPDATE judgements SET verdict = 'TLE'")
        db.execute("UPDATE test_results SET verdict = 'TLE' WHERE verdict = 'MLE'")
        for problem, ratio in ((1, 1.2), (2, 1.7), (3, 2.0), (4, 2.01)):
            db.execute(
                "UPDATE test_results SET cpu_s = ? WHERE verdict = 'TLE' AND judgement IN"
                " (SELECT id FROM judgements WHERE problem = ?)",
                (ratio, problem),
            )
    document = _document(tmp_path / "a")
    row = _rows(document, "time_limit")[0]
    assert row["solved, ×1"].value == 0
    assert (row["solved at most, ×1.5"], row["solved at most, ×3"]) == (0.25, 1.0)
    assert row["optimization at least, ×1.5"] == 0.75
    near = _rows(document, "near_limit")[0]
    assert (near["TLE"], near["ended within 125% of it"]) == (20, 5)


def test_numbers_as_people_read_them() -> None:
    assert show(Estimate(0.431, 0.402, 0.46), "rate") == "43.1 [40.2, 46.0]"
    assert show(Estimate(-0.02, -0.05, 0.01), "points") == "−2.0 [−5.0, +1.0]"
    assert show(Estimate(float("nan"), reason="n < 5"), "rate") == "– (n < 5)"
    assert show(0.00001, "p") == "<0.0001"
    assert show(None, "count") == "–"
    assert show(1234567, "count") == "1,234,567"


def test_latex_and_markdown_escape(document: Document) -> None:
    assert render.latex_text("a_b & 50 % α {x} \\") == (
        r"a\_b \& 50 \% $\alpha$ \{x\} \textbackslash{}"
    )
    text = render.latex(document)
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") > 10
    assert r"\label{tab:modes}" in text


# --- the command --------------------------------------------------------------------------------


def test_the_command_writes_and_prints(run: Path, tmp_path: Path) -> None:
    runner = CliRunner()
    out = tmp_path / "deep" / "r.html"
    result = runner.invoke(app, ["report", str(run), "-o", str(out), "--json", "--read", "50"])
    assert result.exit_code == 0, result.output
    value = json.loads(result.stdout)
    assert value["tables"]["modes"]["rows"]
    assert out.read_text().startswith("<!doctype html>")
    shown = runner.invoke(app, ["report", str(run), "--markdown", "--read", "0"])
    assert "| mode | model |" in shown.stdout
    assert "## Frontier" in shown.stdout
    latex = runner.invoke(app, ["report", str(run), "--latex", "--read", "0"])
    assert r"\toprule" in latex.stdout


@pytest.mark.parametrize("arguments", [["--json", "--markdown"], ["--margin", "0"]])
def test_wrong_options_are_refused(run: Path, arguments: list[str]) -> None:
    result = CliRunner().invoke(app, ["report", str(run), *arguments])
    assert type(result.exception).__name__ == "UsageError"


def test_parquet_of_every_table(run: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    result = CliRunner().invoke(
        app,
        ["report", str(run), "-o", str(tmp_path / "r.html"), "--parquet", str(tmp_path / "p"),
         "--read", "50"],
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    modes = parquet.read_table(tmp_path / "p" / "modes.parquet")
    assert modes.num_rows == 15
    assert "solved low" in modes.column_names
    assert parquet.read_table(tmp_path / "p" / "attempts.parquet").num_rows == 5400
