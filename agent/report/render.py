"""A document as HTML, Markdown, LaTeX, CSV or JSON."""

from __future__ import annotations

import base64
import csv as csv_module
import hashlib
import io
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from agent.report.document import (
    Document,
    Facts,
    Figure,
    Listing,
    Prose,
    SideBySide,
    Table,
    Value,
    heading,
    show,
)
from agent.report.metrics.intervals import Estimate

_PAGE = Path(__file__).parent / "page"
_LAZY_ROWS = 150  # larger tables become rows in the reader's browser, when they are looked at


def html(document: Document) -> str:
    """One self-contained page: style, script and pictures inside, nothing loaded."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_PAGE),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    script = (_PAGE / "report.js").read_text()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return environment.get_template("report.html.j2").render(
        document=document,
        style=Markup((_PAGE / "report.css").read_text()),
        script=script,
        script_hash=f"sha256-{digest}",
        heading=heading,
        shown=_shown,
        csv=_raw,
        has_interval=_has_interval,
        lazy=_lazy,
        lines=_lines,
        lazy_rows=_LAZY_ROWS,
    )


def _shown(value: Value, kind: str) -> Markup:
    """A value in a cell: the interval in a softer colour, a missing number with its reason."""
    if isinstance(value, Estimate):
        if math.isnan(value.value):
            return Markup("<small>– {}</small>").format(value.reason)
        if value.known:
            low, high = show(value.low, kind), show(value.high, kind)
            return Markup('{} <span class="ci">[{}, {}]</span>').format(
                show(value.value, kind), low, high
            )
    return escape(show(value, kind))


def _raw(value: Value) -> str | None:
    """The exact value for CSV; None where the shown text is the value."""
    if isinstance(value, Estimate):
        return "|".join(
            "" if math.isnan(v) else f"{v:.6g}" for v in (value.value, value.low, value.high)
        )
    if isinstance(value, bool) or value is None:
        return "" if value is None else None
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.6g}"
    return str(value) if isinstance(value, int) else None


def _has_interval(table: Table, column: int) -> bool:
    return any(isinstance(row[column], Estimate) for row in table.rows)


def _lazy(table: Table) -> Markup:
    rows = [
        [(show(value, c.kind), _raw(value)) for value, c in zip(row, table.columns, strict=True)]
        for row in table.rows
    ]
    return Markup(_script_safe(json.dumps(rows, ensure_ascii=False, separators=(",", ":"))))


def _lines(block: SideBySide, side: int) -> list[tuple[str, bool]]:
    """The lines of one side, and whether to mark each: some other side does not have it."""
    texts = [listing.text.splitlines() for listing in block.sides]
    if not block.compare:
        return [(line, False) for line in texts[side]]
    shared = set(texts[0]).intersection(*texts[1:])
    return [(line, bool(line.strip()) and line not in shared) for line in texts[side]]


def _script_safe(text: str) -> str:
    """JSON that cannot end the script element it stands in."""
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def markdown(document: Document) -> str:
    """Every table and every sentence; for a paper's appendix or an issue."""
    out = [f"# {_plain(document.title)}", "", _plain(document.subtitle), ""]
    for section in document.sections:
        out += [f"## {section.title}", ""]
        for block in section.blocks:
            if isinstance(block, Facts):
                out += ["; ".join(f"{what}: {value}" for what, value in block.pairs), ""]
            elif isinstance(block, Prose):
                bullet = (
                    "- "
                    if block.kind in ("answer", "list")
                    else "> "
                    if block.kind == "warning"
                    else ""
                )
                out += [bullet + _plain(p.replace("\n", ": ", 1)) for p in block.paragraphs] + [""]
            elif isinstance(block, Table | Figure):
                chosen = block.table if isinstance(block, Figure) else block
                out += _markdown_table(chosen, block.title, block.note)
            elif isinstance(block, Listing):
                out += _fenced(block)
            elif isinstance(block, SideBySide):
                sides = [line for side in block.sides for line in _fenced(side)]
                out += [f"### {_plain(block.title)}", "", *sides]
    out += [document.created, ""]
    return "\n".join(out)


def _plain(text: str) -> str:
    """Text that Markdown shows as it is."""
    for character in "\\`*_<>[]|":
        text = text.replace(character, "\\" + character)
    return " ".join(text.split())


def _markdown_table(table: Table, title: str, note: str) -> list[str]:
    head = "| " + " | ".join(_plain(heading(c)) for c in table.columns) + " |"
    rule = "|" + "|".join("---" if c.kind == "text" else "---:" for c in table.columns) + "|"
    rows = [
        "| "
        + " | ".join(_plain(show(v, c.kind)) for v, c in zip(row, table.columns, strict=True))
        + " |"
        for row in table.rows
    ]
    return [
        f"### {_plain(title)}",
        "",
        head,
        rule,
        *rows,
        "",
        *([_plain(note), ""] if note else []),
    ]


def _fenced(block: Listing) -> list[str]:
    fence = "`" * 3
    while fence in block.text:
        fence += "`"
    return [f"#### {_plain(block.title)}", "", fence, block.text, fence, ""]


_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "α": r"$\alpha$", "τ": r"$\tau$", "−": "$-$", "±": r"$\pm$", "≥": r"$\geq$", "≤": r"$\leq$",
    "→": r"$\to$", "–": "--", "†": r"\dag{}", "×": r"$\times$",
    "“": "``", "”": "''", "…": r"\dots{}",
    "<": r"$<$", ">": r"$>$",
}  # fmt: skip


def latex_text(text: str) -> str:
    """Text with everything that LaTeX would interpret made harmless."""
    return "".join(_LATEX.get(character, character) for character in text)


def latex(document: Document) -> str:
    """Every table as a booktabs `table`, labelled `tab:KEY`."""
    out = ["% needs \\usepackage{booktabs}; numbers in brackets are 95 % intervals", ""]
    for table in document.tables():
        alignment = "".join("l" if c.kind == "text" else "r" for c in table.columns)
        out += [
            r"\begin{table}", r"\centering\small", f"\\caption{{{latex_text(table.title)}}}",
            f"\\label{{tab:{table.key}}}", f"\\begin{{tabular}}{{{alignment}}}", r"\toprule",
            " & ".join(latex_text(heading(c)) for c in table.columns) + r" \\", r"\midrule",
            *(_latex_row(table, row) for row in table.rows),
            r"\bottomrule", r"\end{tabular}", r"\end{table}", "",
        ]  # fmt: skip
    return "\n".join(out)


def _latex_row(table: Table, row: Sequence[Value]) -> str:
    cells = [latex_text(show(v, c.kind)) for v, c in zip(row, table.columns, strict=True)]
    return " & ".join(cells) + r" \\"


def csv(table: Table) -> str:
    """One table; an estimate becomes three columns: value, low, high."""
    buffer = io.StringIO()
    writer = csv_module.writer(buffer, lineterminator="\n")
    wide = [_has_interval(table, i) for i in range(len(table.columns))]
    head: list[str] = []
    for column, three in zip(table.columns, wide, strict=True):
        head += (
            [column.title, f"{column.title} low", f"{column.title} high"]
            if three
            else [column.title]
        )
    writer.writerow(head)
    for row in table.rows:
        cells: list[str] = []
        for value, three in zip(row, wide, strict=True):
            raw = _raw(value)
            text = raw if raw is not None else str(value)
            cells += (text.split("|") if "|" in text else [text, "", ""]) if three else [text]
        writer.writerow(cells)
    return buffer.getvalue()


def as_json(document: Document) -> Mapping[str, Any]:
    """The report's content for a script: sentences and tables with raw values."""
    return {
        "title": document.title,
        "created": document.created,
        "answer": [
            p
            for section in document.sections
            if section.key == "answer"
            for block in section.blocks
            if isinstance(block, Prose)
            for p in block.paragraphs
        ],
        "tables": {
            table.key: {
                "title": table.title,
                "note": table.note,
                "columns": [c.title for c in table.columns],
                "rows": [[_json_value(v) for v in row] for row in table.rows],
            }
            for table in document.tables()
        },
    }


def _json_value(value: Value) -> Any:
    if isinstance(value, Estimate):
        parts = {"value": value.value, "low": value.low, "high": value.high, "n": value.n}
        clean: dict[str, Any] = {k: _json_value(v) for k, v in parts.items()}
        return clean | ({"reason": value.reason} if value.reason else {})
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
