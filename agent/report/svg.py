"""Plain SVG charts as text. Colours are CSS classes (s0 … s7, r0 … r10): themes and print work.

Every text that enters is escaped here. Coordinates are rounded to a tenth of a pixel.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape

Point = tuple[float, float]
MARKERS = ("circle", "square", "triangle", "diamond", "cross")
SERIES_COLOURS = 8


@dataclass(frozen=True, slots=True)
class Mark:
    """One point: where, how uncertain, what a reader sees when pointing at it."""

    x: float
    y: float
    x_low: float = math.nan
    x_high: float = math.nan
    y_low: float = math.nan
    y_high: float = math.nan
    tip: str = ""
    label: str = ""  # written beside the point


@dataclass(frozen=True, slots=True)
class Series:
    name: str
    marks: tuple[Mark, ...]
    colour: int = 0
    marker: int = 0
    dashed: bool = False
    line: bool = True
    band: bool = False  # show the interval as a band instead of bars
    shade: float | None = None  # 0…1: a colour of the ordered ramp r0 … r10 instead of `colour`


@dataclass(frozen=True, slots=True)
class Axis:
    title: str
    low: float
    high: float
    log: bool = False
    percent: bool = False
    ticks: tuple[tuple[float, str], ...] = field(default_factory=tuple)


def n(value: float) -> str:
    """A coordinate, short."""
    text = f"{value:.1f}"
    return text[:-2] if text.endswith(".0") else text


def nice_ticks(low: float, high: float, count: int = 5) -> list[float]:
    """About `count` round values that cover [low, high]."""
    if not high > low:
        return [low]
    raw = (high - low) / count
    magnitude = 10 ** math.floor(math.log10(raw))
    step = next(m * magnitude for m in (1, 2, 2.5, 5, 10) if m * magnitude >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [i * step for i in range(first, last + 1)]


def span(values: Sequence[float], *, floor: float | None = None, pad: float = 0.06) -> Point:
    """A range that holds all finite values with some air; (0, 1) when there are none."""
    finite = [v for v in values if math.isfinite(v)]
    if not finite:
        return 0.0, 1.0
    low, high = min(finite), max(finite)
    room = (high - low) * pad or abs(high) * 0.1 or 0.05
    low, high = low - room, high + room
    return (max(low, floor), high) if floor is not None else (low, high)


def _tick_label(axis: Axis, value: float) -> str:
    if axis.percent:
        return f"{100 * value:.3g}%".replace("-", "−")
    return f"{value:,.10g}".replace("-", "−")


def _axis_ticks(axis: Axis) -> list[tuple[float, str]]:
    if axis.ticks:
        return [(v, name) for v, name in axis.ticks if axis.low <= v <= axis.high]
    if not axis.log:
        return [
            (v, _tick_label(axis, 0.0 if abs(v) < 1e-12 else v))
            for v in nice_ticks(axis.low, axis.high)
        ]
    first, last = math.floor(math.log10(axis.low)), math.ceil(math.log10(axis.high))
    steps = (1, 2, 5) if last - first <= 3 else (1,)
    values = [m * 10.0**e for e in range(first, last + 1) for m in steps]
    return [(v, _tick_label(axis, v)) for v in values if axis.low * 0.999 <= v <= axis.high * 1.001]


def _scale(axis: Axis, start: float, end: float) -> Callable[[float], float]:
    low, high = (math.log10(axis.low), math.log10(axis.high)) if axis.log else (axis.low, axis.high)
    width = high - low or 1.0

    def place(value: float) -> float:
        v = math.log10(value) if axis.log else value
        return start + (v - low) / width * (end - start)

    return place


def text(
    name: str, x: float, y: float, words: str, *, anchor: str = "", rotate: float = 0.0
) -> str:
    """A text element of class `name`."""
    place = f'x="{n(x)}" y="{n(y)}"'
    if rotate:
        place = f'transform="translate({n(x)} {n(y)}) rotate({n(rotate)})"'
    end = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text class="{name}" {place}{end}>{escape(words)}</text>'


def opened(title: str, width: float, height: float, name: str = "chart", more: str = "") -> str:
    """The start of a picture that scales with its place."""
    box = f'viewBox="0 0 {n(width)} {n(height)}"'
    return f'<svg class="{name}" {box} role="img" aria-label="{escape(title)}"{more}>'


def marker_shape(kind: int, x: float, y: float, r: float = 4.5) -> str:
    """The outline of a marker as an SVG element without its class."""
    name = MARKERS[kind % len(MARKERS)]
    if name == "circle":
        return f'<circle cx="{n(x)}" cy="{n(y)}" r="{n(r)}"'
    if name == "square":
        s = r * 0.88
        return f'<rect x="{n(x - s)}" y="{n(y - s)}" width="{n(2 * s)}" height="{n(2 * s)}"'
    if name == "triangle":
        points: tuple[Point, ...] = (
            (x, y - 1.2 * r),
            (x + 1.1 * r, y + 0.8 * r),
            (x - 1.1 * r, y + 0.8 * r),
        )
    elif name == "diamond":
        points = ((x, y - 1.25 * r), (x + 1.25 * r, y), (x, y + 1.25 * r), (x - 1.25 * r, y))
    else:
        a, b = r * 1.1, r * 0.4
        points = (
            (x - b, y - a), (x + b, y - a), (x + b, y - b), (x + a, y - b), (x + a, y + b),
            (x + b, y + b), (x + b, y + a), (x - b, y + a), (x - b, y + b), (x - a, y + b),
            (x - a, y - b), (x - b, y - b),
        )  # fmt: skip
    return f'<polygon points="{" ".join(f"{n(a)},{n(b)}" for a, b in points)}"'


def chart(
    title: str,
    x: Axis,
    y: Axis,
    series: Sequence[Series],
    *,
    width: int = 640,
    height: int = 400,
    underlay: Sequence[tuple[Point, Point]] = (),
) -> str:
    """Lines with markers and intervals. `underlay`: thin reference lines in data coordinates."""
    left, right, top, bottom = 58, width - 16, 14, height - 46
    px, py = _scale(x, left, right), _scale(y, bottom, top)
    out = [opened(title, width, height)]
    for value, label in _axis_ticks(y):
        out.append(f'<path class="grid" d="M{left} {n(py(value))}H{right}"/>')
        out.append(text("tick", left - 8, py(value) + 4, label, anchor="end"))
    for value, label in _axis_ticks(x):
        out.append(f'<path class="grid" d="M{n(px(value))} {top}V{bottom}"/>')
        out.append(text("tick", px(value), bottom + 17, label, anchor="middle"))
    out.append(f'<path class="axis" d="M{left} {top}V{bottom}H{right}"/>')
    out.append(text("label", (left + right) / 2, height - 8, x.title, anchor="middle"))
    out.append(text("label", 14, (top + bottom) / 2, y.title, anchor="middle", rotate=-90))
    for (x0, y0), (x1, y1) in underlay:
        ends = f"M{n(px(x0))} {n(py(y0))}L{n(px(x1))} {n(py(y1))}"
        out.append(f'<path class="reference" d="{ends}"/>')
    taken: list[Point] = []
    for number, line in enumerate(series):
        out.append(_series(number, line, px, py, taken))
    out.append("</svg>")
    return legend(series) + "".join(out)


def _series(
    number: int,
    line: Series,
    px: Callable[[float], float],
    py: Callable[[float], float],
    taken: list[Point],
) -> str:
    """One group of marks. `taken`: places of labels; one that would cover another is left out."""
    marks = [m for m in line.marks if math.isfinite(m.x) and math.isfinite(m.y)]
    out = [f'<g class="series {_colour(line)}" data-s="{number}">']
    out.append(_band(marks, px, py) if line.band else _bars(marks, px, py))
    if line.line and len(marks) > 1:
        path = "L".join(f"{n(px(m.x))} {n(py(m.y))}" for m in marks)
        dash = " dashed" if line.dashed else ""
        out.append(f'<path class="line{dash}" d="M{path}"/>')
    for m in marks:
        tip = f' data-tip="{escape(m.tip)}" tabindex="0"' if m.tip else ""
        out.append(marker_shape(line.marker, px(m.x), py(m.y)) + f' class="mark"{tip}/>')
        place = px(m.x) + 8, py(m.y) - 7
        if m.label and all(abs(place[0] - x) > 26 or abs(place[1] - y) > 11 for x, y in taken):
            taken.append(place)
            out.append(text("tag", *place, m.label))
    out.append("</g>")
    return "".join(out)


def _colour(line: Series) -> str:
    if line.shade is not None:
        return f"r{round(10 * line.shade)}"
    return f"s{line.colour % SERIES_COLOURS}"


def _band(marks: Sequence[Mark], px: Callable[[float], float], py: Callable[[float], float]) -> str:
    known = [m for m in marks if math.isfinite(m.y_low)]
    if len(known) < 2:
        return ""
    over = " ".join(f"{n(px(m.x))},{n(py(m.y_high))}" for m in known)
    back = " ".join(f"{n(px(m.x))},{n(py(m.y_low))}" for m in reversed(known))
    return f'<polygon class="band" points="{over} {back}"/>'


def _bars(marks: Sequence[Mark], px: Callable[[float], float], py: Callable[[float], float]) -> str:
    bars = []
    for m in marks:
        if math.isfinite(m.y_low):
            bars.append(f"M{n(px(m.x))} {n(py(m.y_low))}V{n(py(m.y_high))}")
        if math.isfinite(m.x_low):
            bars.append(f"M{n(px(m.x_low))} {n(py(m.y))}H{n(px(m.x_high))}")
    return f'<path class="bar" d="{"".join(bars)}"/>' if bars else ""


def legend(series: Sequence[Series]) -> str:
    """Buttons that show and hide a series; empty for a single one."""
    if len(series) < 2:
        return ""
    buttons = []
    for number, line in enumerate(series):
        dash = " dashed" if line.dashed else ""
        stroke = f'<path class="line{dash}" d="M1 7H25"/>' if line.line else ""
        mark = marker_shape(line.marker, 13, 7, 4)
        colour = _colour(line)
        buttons.append(
            f'<button type="button" data-s="{number}" aria-pressed="true">'
            f'<svg class="key {colour}" viewBox="0 0 26 14" aria-hidden="true">'
            f'{stroke}{mark} class="mark"/></svg>{escape(line.name)}</button>'
        )
    return f'<div class="legend">{"".join(buttons)}</div>'
