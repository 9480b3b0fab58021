"""Fixtures that several rooms share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def cases() -> Path:
    """Real problem packages kept beside the checkout; skips where they are absent."""
    folder = Path(
        os.environ.get("FRONTIER_AGENT_CASES", ROOT.parent / "shared" / "cases" / "kattis")
    )
    if not folder.is_dir():
        pytest.skip(f"real problem packages are not at {folder}")
    return folder
