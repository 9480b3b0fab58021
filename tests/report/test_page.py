"""The report page in a real browser: tables, copying, tips, phone, print, dark."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from agent.report import render
from agent.report.build import build
from agent.report.combine import load
from tests.report import synthetic
from tests.report.conftest import wait_until


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    synthetic.write(folder / "a", synthetic.frontier_world(problems=170), n=2)
    file = folder / "r.html"
    file.write_text(render.html(build(load([folder / "a"]), read=60)))
    return file


@pytest.mark.browser
def test_copying_sorting_and_tips(page_file: Path, browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    trouble: list[str] = []
    page.on("pageerror", lambda e: trouble.append(str(e)))
    page.on("console", lambda m: trouble.append(m.text) if m.type == "error" else None)
    requests: list[str] = []
    page.on("request", lambda r: requests.append(r.url))
    page.goto(page_file.as_uri())
    page.evaluate(
        "() => { document.execCommand = () => {"
        " window.copied = document.activeElement.value; return true; }; }"
    )
    page.evaluate(
        "() => { const c = navigator.clipboard; if (c) c.writeText = async () => { throw 0; }; }"
    )
    for key, rows, columns in (("modes", 15, 16), ("problem_grid", 170, 17)):
        page.evaluate(f"document.querySelector('button[data-for=t-{key}]').click()")
        wait_until(page, "window.copied")
        found = list(csv.reader(io.StringIO(page.evaluate("window.copied"))))
        assert len(found) == rows + 1
        assert {len(row) for row in found} == {columns}
        page.evaluate("window.copied = null")
    assert 0 < float(found[1][2]) <= 1 or found[1][2] == "0"
    head = page.locator("#t-modes th").nth(4)
    head.click()
    values = [
        float(v.split("|")[0])
        for v in page.locator("#t-modes tbody td:nth-child(5)").evaluate_all(
            "cells => cells.map(c => c.dataset.v)"
        )
    ]
    assert values == sorted(values, reverse=True)
    mark = page.locator("#f-frontier_ckpt .mark[data-tip]").first
    mark.scroll_into_view_if_needed()
    mark.hover()
    assert "optimization failures" in page.locator("#tip").inner_text()
    heat = page.locator("svg.heat").first
    heat.scroll_into_view_if_needed()
    box = heat.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 0.5)
    assert "%" in page.locator("#tip").inner_text()
    button = page.locator("#f-frontier_ckpt .legend button").first
    button.click()
    assert (
        page.locator("#f-frontier_ckpt g.series").first.evaluate("g => g.style.display") == "none"
    )
    assert requests == [page_file.as_uri()]
    assert trouble == []
    context.close()


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1200])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_is_wider_than_its_window(
    page_file: Path, browser, width: int, scheme: str
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.goto(page_file.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == width
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator("#theme").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before
    page.close()


@pytest.mark.browser
def test_it_prints(page_file: Path, browser) -> None:
    page = browser.new_page()
    page.goto(page_file.as_uri())
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator("nav").is_visible()
    assert page.pdf()[:5] == b"%PDF-"
    page.close()
