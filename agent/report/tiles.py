"""Charts of areas: stacked bars and heatmaps, as plain SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from agent.report.svg import n, opened, text


@dataclass(frozen=True, slots=True)
class Stack:
    """One horizontal bar of parts that add up to 1."""

    label: str
    parts: tuple[float, ...]
    tip: str = ""


def stacks(
    title: str,
    rows: Sequence[tuple[str, Sequence[Stack]]],
    names: Sequence[str],
    classes: Sequence[str],
) -> str:
    """Grouped stacked bars: `rows` are (group title, bars); `classes` colour the parts."""
    width, left, bar, gap = 640, 150, 16, 6
    height = sum(26 + len(bars) * (bar + gap) for _, bars in rows) + 4
    out = [opened(title, width, height)]
    y = 4.0
    for group, bars in rows:
        out.append(text("label strong", 0, y + 14, group))
        y += 22
        for stack in bars:
            out.append(text("tick", left - 8, y + 12, cut(stack.label, 22), anchor="end"))
            out.append(f'<g data-tip="{escape(stack.tip)}" tabindex="0">')
            x = float(left)
            for part, name in zip(stack.parts, classes, strict=True):
                size = (width - left - 4) * part
                if size > 0:
                    box = f'x="{n(x)}" y="{n(y)}" width="{n(max(size - 1, 0.5))}" height="{bar}"'
                    out.append(f'<rect class="{name}" {box}/>')
                if part >= 0.09:
                    share = f"{100 * part:.0f}"
                    out.append(text(f"on {name}", x + size / 2, y + 12, share, anchor="middle"))
                x += size
            out.append("</g>")
            y += bar + gap
        y += 4
    out.append("</svg>")
    keys = (
        f'<span><i class="swatch {c}"></i>{escape(name)}</span>'
        for name, c in zip(names, classes, strict=True)
    )
    return f'<div class="legend">{"".join(keys)}</div>' + "".join(out)


def cut(words: str, limit: int) -> str:
    """The end of a long name: that is where names differ."""
    return words if len(words) <= limit else "…" + words[1 - limit :]


def heatmap(
    title: str,
    row_names: Sequence[str],
    column_groups: Sequence[tuple[str, Sequence[str]]],
    levels: Sequence[Sequence[float]],
) -> str:
    """Values in [0, 1] (NaN: empty) as ten shades; one path a shade keeps the file small.

    `column_groups`: (group title, column titles); `levels`: one row of all columns for each row.
    """
    columns = sum(len(names) for _, names in column_groups)
    gap, top = 14, 74
    cell = max(14.0, min(34.0, (510 - gap * len(column_groups)) / max(1, columns)))
    row = 14.0 if len(row_names) <= 60 else 8.0 if len(row_names) <= 200 else 4.0
    left = 130.0 if row >= 8 else 20.0
    width = left + cell * columns + gap * len(column_groups)
    height = top + row * len(row_names) + 6
    xs: list[float] = []
    body = []
    x = left
    for group, names in column_groups:
        body.append(text("label strong", x, 16, group))
        for name in names:
            xs.append(x)
            body.append(text("tick", x + cell / 2 + 4, top - 6, cut(name, 9), rotate=-60))
            x += cell
        x += gap
    body += _squares(levels, xs, top, cell, row)
    if row >= 8:
        small = "tick" if row >= 14 else "tick small"
        for r, name in enumerate(row_names):
            baseline = top + r * row + row * 0.75
            body.append(text(small, left - 6, baseline, cut(name, 18), anchor="end"))
    # What the page's script needs to find the square under the pointer.
    places = f'data-x="{",".join(n(v) for v in xs)}" data-w="{n(cell)}" data-y="{top}"'
    natural = f'style="max-width:{n(width * 1.25)}px"'
    start = opened(title, width, height, "chart heat", f' {natural} {places} data-h="{n(row)}"')
    scale = "".join(f'<i class="swatch h{k}"></i>' for k in range(11))
    key = f'<div class="legend"><span>0 % {scale} 100 %</span></div>'
    return f"{key}{start}{''.join(body)}</svg>"


def _squares(
    levels: Sequence[Sequence[float]], xs: Sequence[float], top: float, cell: float, row: float
) -> list[str]:
    paths: dict[int, list[str]] = {}
    box = f"h{n(cell - 1)}v{n(row - 1)}h-{n(cell - 1)}z"
    for r, values in enumerate(levels):
        y = n(top + r * row)
        for c, value in enumerate(values):
            shade = -1 if math.isnan(value) else 0 if value <= 0 else min(10, 1 + int(value * 9.99))
            paths.setdefault(shade, []).append(f"M{n(xs[c])} {y}{box}")
    return [
        f'<path class="h{"none" if shade < 0 else shade}" d="{"".join(pieces)}"/>'
        for shade, pieces in sorted(paths.items())
    ]
