"""The viewer: what it answers, whom it answers, and that nothing hostile gets through."""

from __future__ import annotations

import http.client
import json
import sqlite3
import threading
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from agent.errors import UsageError
from agent.report.transcript import shorten, steps, unpack, visible
from agent.report.view.server import Viewer
from tests.report import synthetic
from tests.report.conftest import wait_until

EVIL = "</script><script>window.pwned=1</script><img src=x onerror='window.pwned=1'>"
HOSTILE = [
    {"type": "prompt", "turn": 0, "messages": [{"role": "user", "content": "# Pairs\n" + EVIL}]},
    {
        "type": "answer", "turn": 1, "at_s": 2.0, "thoughts": "secret thought " + EVIL,
        "messages": [{"role": "assistant", "content": f"\u202egnp \x00\x1b[31mred\x1b[0m {EVIL}"}],
        "tool_calls": [{"name": EVIL, "arguments": '{"code": "print(1)"}'}],
        "usage": {"completion_tokens": 7}, "finish_reason": "length",
    },
    {
        "type": "results", "turn": 1,
        "calls": [{"name": "python", "result": "y" * 10_000_000, "wall_s": 0.5}],
    },
    {"type": "strange", "value": [1, {"a": EVIL}]},
    "not even an object",
]  # fmt: skip


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    synthetic.write(folder / "a", synthetic.frontier_world(problems=10), n=3, done=0.9, errors=2)
    body = zlib.compress(json.dumps(HOSTILE).encode())
    with sqlite3.connect(folder / "a" / "run.sqlite") as db:
        db.execute("UPDATE transcripts SET body = ? WHERE attempt = 1", (body,))
        db.execute("UPDATE transcripts SET body = ? WHERE attempt = 2", (b"damaged",))
        db.execute("UPDATE submissions SET source = source || ? WHERE id = 1", (f"# {EVIL}",))
        db.execute("UPDATE problems SET title = ? WHERE id = 1", (EVIL,))
    (folder / "broken").mkdir()
    (folder / "broken" / "run.sqlite").write_bytes(b"no database" * 100)
    return folder


@pytest.fixture(scope="module")
def viewer(root: Path) -> Iterator[Viewer]:
    server = Viewer(root)
    thread = threading.Thread(target=server.serve)
    thread.start()
    yield server
    server.close()
    thread.join()


def _get(viewer: Viewer, path: str, *, host: str | None = None, method: str = "GET"):
    connection = http.client.HTTPConnection("127.0.0.1", viewer.port, timeout=10)
    connection.request(method, path, headers={"Host": host or f"127.0.0.1:{viewer.port}"})
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response, body


def _api(viewer: Viewer, path: str, **query: object):
    response, body = _get(viewer, f"/{viewer.token}/api/{path}?{urlencode(query)}")
    return response.status, json.loads(body)


def test_runs_and_grid(viewer: Viewer) -> None:
    _, runs = _api(viewer, "runs")
    assert [r["name"] for r in runs] == ["a", "broken"]
    assert "not a run" in runs[1]["error"]
    _, grid = _api(viewer, "grid", run="a")
    assert grid["modes"] == ["reasoning", "tool_use", "agentic"]
    counted = sum(v for c in grid["cells"] for v in c.values() if isinstance(v, int))
    assert counted == 450


def test_pages_and_filters(viewer: Viewer, root: Path) -> None:
    seen, after = [], 0
    while True:
        _, page = _api(viewer, "attempts", run="a", after=after)
        assert len(page["rows"]) <= 100
        seen += [row["id"] for row in page["rows"]]
        if not page["more"]:
            break
        after = seen[-1]
    assert seen == list(range(1, 451))
    _, page = _api(viewer, "attempts", run="a", mode="agentic", outcome="solved", verdict="AC")
    assert page["rows"]
    assert all(r["mode"] == "agentic" and r["outcome"] == "solved" for r in page["rows"])
    _, page = _api(viewer, "attempts", run="a", outcome="owed")
    with sqlite3.connect(root / "a" / "run.sqlite") as db:
        owed = db.execute("SELECT COUNT(*) FROM outcomes WHERE outcome IS NULL").fetchone()[0]
    assert len(page["rows"]) == min(owed, 100)
    _, page = _api(viewer, "attempts", run="a", model="' OR 1=1 --")
    assert page["rows"] == []


def test_an_attempt_is_cut_and_comes_whole_on_demand(viewer: Viewer) -> None:
    response, body = _get(viewer, f"/{viewer.token}/api/attempt?run=a&id=1")
    assert response.status == 200
    assert len(body) < 300_000
    one = json.loads(body)
    output = one["steps"][2]["texts"][0]
    assert output["missing"] == 10_000_000 - 20_000
    assert one["steps"][1]["texts"][0] == {
        "label": "thoughts", "body": "secret thought " + EVIL, "missing": 0, "folded": True,
    }  # fmt: skip
    assert "\\x1b[31mred" in one["steps"][1]["texts"][1]["body"]
    assert "⟨U+202E⟩" in one["steps"][1]["texts"][1]["body"]
    assert "".join(text for _, text in one["submission"]["tokens"]).startswith("def main")
    assert {t["verdict"] for t in one["tests"]} <= {"AC", "WA", "TLE", "MLE", "RE", "ILE", "SK"}
    status, page = _api(viewer, "text", run="a", id=1, step=2, text=0, offset=9_999_990)
    assert (status, page["body"], page["next"]) == (200, "y" * 10, 10_000_000)
    status, two = _api(viewer, "attempt", run="a", id=2)
    assert status == 200
    assert "cannot be read" in two["steps"][0]["title"]


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("attempt", {"run": "a", "id": "99999"}),
        ("attempt", {"run": "a", "id": "1 OR 1"}),
        ("attempt", {"run": "../a", "id": "1"}),
        ("grid", {"run": "/etc"}),
        ("nothing", {"run": "a"}),
        ("text", {"run": "a", "id": "1", "step": "77", "text": "0", "offset": "0"}),
    ],
)
def test_what_does_not_exist_is_not_found(viewer: Viewer, path: str, query: dict) -> None:
    assert _api(viewer, path, **query)[0] == 404


def test_a_broken_run_is_one_line(viewer: Viewer) -> None:
    status, value = _api(viewer, "grid", run="broken")
    assert status == 409
    assert "is not a run" in value["error"]


def test_only_this_machine_with_the_secret_is_answered(viewer: Viewer) -> None:
    assert viewer.url.startswith("http://127.0.0.1:")
    assert _get(viewer, "/")[0].status == 403
    assert _get(viewer, "/wrong/api/runs")[0].status == 403
    assert _get(viewer, f"/{viewer.token}/", host="evil.example")[0].status == 403
    assert _get(viewer, f"/{viewer.token}/../../etc/passwd")[0].status == 404
    assert _get(viewer, f"/{viewer.token}/", method="POST")[0].status == 501
    response, _ = _get(viewer, f"/{viewer.token}/")
    assert "script-src 'self'" in response.headers["Content-Security-Policy"]
    assert "unsafe" not in response.headers["Content-Security-Policy"]
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    with pytest.raises(UsageError, match="no such folder"):
        Viewer(Path("/nonexistent"))
    with pytest.raises(UsageError, match="another --port"):
        Viewer(Path("/"), port=viewer.port)


def test_nothing_is_written(viewer: Viewer, root: Path) -> None:
    before = (root / "a" / "run.sqlite").read_bytes()
    _api(viewer, "attempts", run="a")
    assert (root / "a" / "run.sqlite").read_bytes() == before


def test_texts_show_what_they_hide() -> None:
    assert visible("a\x00b\x7f\u202ec\ud800\n\té 中") == "a\\x00b\\x7f⟨U+202E⟩c⟨U+D800⟩\n\té 中"
    body, missing = shorten("a" * 100 + "b" * 100, 40)
    assert body == "a" * 30 + "\n⋯\n" + "b" * 10
    assert missing == 160
    assert unpack(zlib.compress(b'{"type": "end"}')) == [{"type": "end"}]
    assert steps([{"role": "assistant", "content": None, "reasoning": "hm"}])[0].texts[0].folded


# --- in a real browser --------------------------------------------------------------------------


@pytest.mark.browser
def test_the_page_in_chromium(viewer: Viewer, browser) -> None:
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    trouble: list[str] = []
    page.on("pageerror", lambda e: trouble.append(str(e)))
    page.on("console", lambda m: trouble.append(m.text) if m.type == "error" else None)
    outside: list[str] = []
    page.on(
        "request", lambda r: outside.append(r.url) if not r.url.startswith(viewer.url) else None
    )
    page.goto(viewer.url)
    page.get_by_role("link", name="a", exact=True).click()
    page.wait_for_selector("table.attempts tbody tr")
    assert page.locator("table.attempts tbody tr").count() == 100
    page.get_by_role("button", name="More").click()
    wait_until(page, "document.querySelectorAll('table.attempts tbody tr').length === 200")
    page.select_option("#f-verdict", "TLE")
    wait_until(
        page,
        "[...document.querySelectorAll('table.attempts .badge')]"
        ".every(b => b.textContent === 'TLE')",
    )
    page.locator("table.grid button").nth(4).click()
    page.wait_for_url("**mode=tool_use**")
    page.goto(f"{viewer.url}#/attempt?run=a&id=1")
    page.wait_for_selector("article")
    assert page.locator("#with option").count() == 15  # nothing, and the other 14 cells
    page.select_option("#with", index=3)
    page.wait_for_selector("article >> nth=1")
    assert page.locator("article").count() == 2
    assert page.locator("h1").first.inner_text().startswith("</script><script>")
    thoughts = page.locator("details.folded pre").first
    assert not thoughts.is_visible()
    page.locator("details.folded summary").first.click()
    assert "secret thought" in thoughts.inner_text()
    assert page.locator(".meter").count() >= 2
    assert page.locator("pre.code .t-k").count() > 0
    page.get_by_role("button", name="characters are left out").click()
    for shown in (500_000, 1_000_000):
        button = page.get_by_role("button", name=f"{shown:,} of 10,000,000 characters")
        button.wait_for()
        longest = (
            "Math.max(...[...document.querySelectorAll('pre')].map(p => p.textContent.length))"
        )
        assert page.evaluate(longest) == shown
        if shown < 1_000_000:
            button.click()
    assert page.evaluate("window.pwned") is None
    assert page.locator("main script, main img").count() == 0
    assert trouble == []
    assert outside == []
    page.close()


@pytest.mark.browser
def test_the_page_follows_a_run(tmp_path: Path, browser) -> None:
    synthetic.write(tmp_path / "a", synthetic.frontier_world(problems=4), n=2, done=0.5)
    server = Viewer(tmp_path / "a")
    thread = threading.Thread(target=server.serve)
    thread.start()
    page = browser.new_page()
    page.goto(f"{server.url}#/run?name=.")
    page.wait_for_selector("table.grid")
    assert page.locator("#live").is_visible()
    before = page.locator("table.grid").inner_text()
    with sqlite3.connect(tmp_path / "a" / "run.sqlite") as db:
        db.execute(
            "INSERT INTO generations SELECT id, 1.7e9, 'no_code_block', NULL, 1, 1, 0, 1, 0, 1, 1,"
            " '{}' FROM attempts WHERE id NOT IN (SELECT attempt FROM generations)"
        )
    deadline = time.monotonic() + 15
    while page.locator("table.grid").inner_text() == before and time.monotonic() < deadline:
        page.wait_for_timeout(200)
    assert page.locator("table.grid").inner_text() != before
    page.wait_for_selector("#live", state="hidden")
    page.close()
    server.close()
    thread.join()
