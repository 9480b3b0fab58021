"""What the judge costs, as ratios against the bare program on the same machine; printed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agent.judge.bench import bench


@pytest.mark.bench
def test_cost_of_a_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRONTIER_AGENT_CACHE", str(tmp_path))
    figures = asyncio.run(bench("bubblewrap"))
    print()
    print(figures.as_text())
    compile_ratio = figures.second_compile_s / figures.first_compile_s
    print(f"compile again / first: {compile_ratio:.3f}")
    assert figures.cache_hit_rate > 0
    assert all(cost.tests_per_s > 0 and cost.ratio > 0 for cost in figures.costs.values())
