"""From runs to the whole report."""

from __future__ import annotations

import datetime

from agent import __version__
from agent.report.combine import Data
from agent.report.document import Document
from agent.report.sections.answer import answer
from agent.report.sections.behaviour import behaviour
from agent.report.sections.comparisons import comparisons
from agent.report.sections.completeness import completeness
from agent.report.sections.frontier import curves, frontier
from agent.report.sections.modes import modes
from agent.report.sections.passk import headlines, passk
from agent.report.sections.problems import problems
from agent.report.sections.sensitivity import sensitivity
from agent.report.sections.settings import limitations, provenance, settings


def build(data: Data, *, margin: float = 0.05, read: int = 2000) -> Document:
    """The report's content.

    `margin`: of the equivalence test of the solve rate, as a rate; `read`: how many submissions to
    read for the section on behaviour.
    """
    found = curves(data, margin)
    best = headlines(data)
    names = ", ".join(run.name for run in data.runs)
    now = datetime.datetime.now(datetime.UTC)
    sections = (
        answer(data, found, best, margin),
        completeness(data),
        modes(data),
        frontier(data, found, margin),
        passk(data, best),
        comparisons(data),
        problems(data),
        sensitivity(data),
        behaviour(data, read),
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
