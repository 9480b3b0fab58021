"""The suites that ship: they read, and each problem of ours has what it must have."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.shipped import folder
from agent.suite.errors import SuiteError
from agent.suite.languages import language_of
from agent.suite.load import draft
from agent.suite.own import OwnProblem

PROBLEMS = sorted(p.parent for p in (folder("tasks") / "problems").glob("*/problem.yaml"))


@pytest.mark.parametrize("name", ["demo", "frontier"])
def test_own_suites(name: str) -> None:
    read = draft(Path(name))
    assert read.file.strict
    assert not read.skipped
    assert len(read.problems) >= 4


@pytest.mark.parametrize("name", ["lcb_all", "lcb_hard", "codecontests_test"])
def test_suites_of_data_that_users_have(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    variable = "CODECONTESTS" if name == "codecontests_test" else "LIVECODEBENCH"
    monkeypatch.delenv(variable, raising=False)
    with pytest.raises(SuiteError, match=f"set the environment variable {variable}"):
        draft(Path(name))
    samples = Path(__file__).parent.parent / "data" / "sources"
    source = "codecontests" if name == "codecontests_test" else "livecodebench"
    (tmp_path / f"test-{source}.jsonl").write_bytes((samples / f"{source}.jsonl").read_bytes())
    monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.setenv("FRONTIER_AGENT_CACHE", str(tmp_path / "cache"))
    read = draft(Path(name), say=lambda text: None)
    assert len(read.problems) >= 1
    sampling = read.file.sampling
    assert (sampling.temperature, sampling.top_p, sampling.n) == (1.0, 0.95, 250)


@pytest.mark.parametrize("path", PROBLEMS, ids=lambda path: path.name)
def test_problem(path: Path) -> None:
    [(own, _)] = draft(path).problems
    assert isinstance(own, OwnProblem)
    references = own.file.references
    right = {r.language or language_of(Path(r.file)) for r in references if r.expect == ("AC",)}
    assert {"python", "cpp"} <= right
    slow = [r for r in references if {"TLE", "MLE"} & set(r.expect)]
    assert slow
    assert all(r.passes_below for r in slow)
    assert any("WA" in r.expect for r in references)
    assert own.file.samples
    assert len(own.written) + len(own.plans) >= 8
