"""What a report consists of, apart from how it is shown: sections of prose, tables and figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from agent.report.metrics.intervals import Estimate

Value = str | int | float | bool | Estimate | None


@dataclass(frozen=True, slots=True)
class Column:
    """`kind`: text, or one of `KINDS`; rate is 0…1 shown in per cent, points a difference."""

    title: str
    kind: str = "text"


@dataclass(frozen=True, slots=True)
class Table:
    """Raw values with columns that say how to show them."""

    key: str  # unique in a report; names the CSV, LaTeX label and JSON entry
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture and the table it is drawn from."""

    key: str
    title: str
    svg: str
    table: Table
    note: str = ""


@dataclass(frozen=True, slots=True)
class Prose:
    """Paragraphs; `kind`: plain, answer (a headline list), warning."""

    paragraphs: tuple[str, ...]
    kind: str = "plain"


@dataclass(frozen=True, slots=True)
class Listing:
    """Exact text: a prompt, settings, a program. `folded`: shown on demand."""

    title: str
    text: str
    folded: bool = True


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Listings next to each other. `compare`: lines that not all of them have are marked."""

    title: str
    sides: tuple[Listing, ...]
    compare: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """A row of (what, value): the first thing that a reader sees."""

    pairs: tuple[tuple[str, str], ...]


Block = Table | Figure | Prose | Listing | SideBySide | Facts


@dataclass(frozen=True, slots=True)
class Section:
    key: str
    title: str
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    title: str
    subtitle: str
    created: str
    sections: tuple[Section, ...] = field(default_factory=tuple)

    def tables(self) -> list[Table]:
        """Every table, those of figures included, in order."""
        found = []
        for section in self.sections:
            for block in section.blocks:
                if isinstance(block, Table):
                    found.append(block)
                elif isinstance(block, Figure):
                    found.append(block.table)
        return found


def show(value: Value, kind: str) -> str:
    """A value as text for people: "43.1 [40.2, 46.0]"; "–" where there is none."""
    if isinstance(value, Estimate):
        if math.isnan(value.value):
            return f"– ({value.reason})" if value.reason else "–"
        middle = show(value.value, kind)
        if not value.known:
            return middle
        low, high = show(value.low, kind), show(value.high, kind)
        return f"{middle} [{low}, {high}]"
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if isinstance(value, float) and math.isnan(value):
        return "–"
    return _FORMATS.get(kind, _number)(float(value))


def _number(value: float) -> str:
    if value == round(value) and abs(value) < 1e15:
        return f"{value:,.0f}"
    digits = 0 if abs(value) >= 1000 else 1 if abs(value) >= 100 else 2 if abs(value) >= 1 else 3
    return f"{value:,.{digits}f}"


def _p(value: float) -> str:
    return "<0.0001" if value < 0.0001 else f"{value:.4f}" if value < 0.01 else f"{value:.3f}"


def _points(value: float) -> str:
    text = f"{100 * value:+.1f}"
    return "0.0" if text in ("+0.0", "-0.0") else text.replace("-", "−")


def _exact(value: float) -> str:
    return f"{value:g}".replace("-", "−")


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")


def _seconds(value: float) -> str:
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"


_FORMATS: dict[str, Callable[[float], str]] = {
    "count": lambda v: f"{v:,.0f}",
    "rate": lambda v: f"{100 * v:.1f}",
    "points": _points,
    "number": _number,
    "exact": _exact,
    "seconds": _seconds,
    "p": _p,
    "signed": _signed,
}
KINDS = frozenset(_FORMATS)

UNITS = {"rate": "%", "points": "pp", "seconds": "s"}


def heading(column: Column) -> str:
    """The column's title with its unit."""
    unit = UNITS.get(column.kind)
    return f"{column.title} ({unit})" if unit else column.title


def table(
    key: str, title: str, columns: Sequence[str], rows: Sequence[Sequence[Value]], note: str = ""
) -> Table:
    """A `Table` whose columns are written "title" (text) or "title:kind"."""
    parsed = []
    for column in columns:
        name, _, kind = column.rpartition(":")
        parsed.append(Column(name, kind) if kind in KINDS else Column(column))
    return Table(key, title, tuple(parsed), tuple(tuple(row) for row in rows), note)
