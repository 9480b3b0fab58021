"""From runs to the whole report."""

from __future__ import annotations

import datetime

from agent import __version__
from agent.report.combine import Data
from agent.report.document import Document
from agent.report.sections.answer import answer
from agent.report.sections.completeness import completeness
from agent.report.sections.frontier import curves, frontier
from agent.report.sections.modes import modes
from agent.report.sections.problems import problems
from agent.report.sections.settings import limitations, provenance, settings


def build(data: Data, *, margin: float = 0.05) -> Document:
    """The report's content. `margin`: of the equivalence test of the solve rate, as a rate."""
    found = curves(data, margin)
    names = ", ".join(run.name for run in data.runs)
    now = datetime.datetime.now(datetime.UTC)
    sections = (
        answer(data, found, margin),
        completeness(data),
        modes(data),
        frontier(data, found, margin),
        problems(data),
        settings(data),
        provenance(data),
        limitations(data),
    )
    subtitle = (
        f"{len(data.models)} model{'s' * (len(data.models) != 1)} × "
        f"{len(data.modes)} mode{'s' * (len(data.modes) != 1)} × "
        f"{len(data.problems)} problem{'s' * (len(data.problems) != 1)} · "
        f"{data.finished:,} of {data.planned:,} attempts done"
    )
    created = f"{now:%Y-%m-%d %H:%M} UTC, agent {__version__}"
    return Document(f"Report on {names}", subtitle, created, sections)
