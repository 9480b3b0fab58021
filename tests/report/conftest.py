"""A real headless browser for the pages; tests skip where there is none."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

# As root in a container, and without reaching for the network at start.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    """Chromium, driven by Playwright.

    Of a module, not of the session: while Playwright is open, an event loop runs in the main
    thread, and no asynchronous test could start.
    """
    api = pytest.importorskip("playwright.sync_api", reason="needs Playwright (extra dev)")
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if not path or not Path(path).exists():
        pytest.skip("needs Chromium (Debian package chromium)")
    with api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield chromium
        chromium.close()


def wait_until(page, expression: str, seconds: float = 15) -> None:
    """Waits until a JavaScript expression holds; works under a policy that forbids `eval`."""
    deadline = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < deadline, expression
        page.wait_for_timeout(50)
