"""Fixtures that several rooms share, and the rule that CI skips nothing for a missing part."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("docker", "vllm", "browser")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI a test that needs Docker, vLLM or a browser fails where it would be skipped."""
    report = yield
    parts = [name for name in PARTS if item.get_closest_marker(name)]
    opt_in = "FRONTIER_AGENT_SLOW" in str(report.longrepr)  # hours long, asked for by hand
    if os.environ.get("CI") == "true" and report.skipped and parts and not opt_in:
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid}: skipped in CI though it needs {', '.join(parts)}"
    return report


@pytest.fixture(scope="session")
def cases() -> Path:
    """Real problem packages kept beside the checkout; skips where they are absent."""
    folder = Path(
        os.environ.get("FRONTIER_AGENT_CASES", ROOT.parent / "shared" / "cases" / "kattis")
    )
    if not folder.is_dir():
        pytest.skip(f"real problem packages are not at {folder}")
    return folder
