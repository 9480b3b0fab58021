"""Our own solutions of real packages: right, wrong, and right but too slow."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agent.judge.languages import Program
from agent.suite.load import load_problem
from tests.judge.conftest import Bench

SOLUTIONS = sorted((Path(__file__).parent / "solutions").glob("*.*.*"))
LIMITS = {"typo.right.py": 20.0}  # where the package's limit is meant for compiled languages
DEFAULT_S = 3.0
SLOW_S = 0.7
DECLARED = {"right": "AC", "wrong": "WA", "slow": "TLE"}


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.name)
def test_solution(judge: Bench, cases: Path, path: Path) -> None:
    name, kind = path.stem.split(".")
    problem = load_problem(cases / name)
    limit = SLOW_S if kind == "slow" else LIMITS.get(path.name, DEFAULT_S)
    problem = replace(problem, limits=replace(problem.limits, time_s=limit))
    language = "cpp" if path.suffix == ".cpp" else "python"
    judgement = judge(problem, Program.at((path,), language), explain=True)
    failed = [t for t in judgement.tests if t.verdict not in ("AC", "SK")][:1]
    assert judgement.verdict == DECLARED[kind], failed or judgement.compile_output
