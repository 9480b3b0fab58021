"""Exact prompts and settings, where everything comes from, and what the numbers cannot say."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from agent.report.combine import Data
from agent.report.document import Block, Listing, Prose, Section, SideBySide, Value, table
from agent.report.transcript import first_prompt


def settings(data: Data) -> Section:
    """One entry a mode: what differs between models is said, not averaged away."""
    blocks: list[Block] = _rendered(data)
    for mode in data.modes:
        cells = [cell for cell in data.cells if cell.mode == mode]
        versions: dict[str, list[str]] = {}
        for cell in cells:
            versions.setdefault(_pretty(cell.settings), []).append(cell.label)
        for text, models in versions.items():
            whose = "" if len(versions) == 1 else f" ({', '.join(models)})"
            prompt = _prompt(cells, models[0])
            if prompt:
                blocks.append(Listing(f"{mode}{whose}: prompt", prompt))
            blocks.append(Listing(f"{mode}{whose}: settings", text))
    for run in data.runs:
        for judging in run.judgings:
            blocks.append(Listing(f"{run.name}: judging {judging.id}", _pretty(judging.settings)))
    return Section("settings", "Settings", tuple(blocks))


def _rendered(data: Data) -> list[Block]:
    """What one model really got for one problem, every mode beside the others."""
    a = data.attempts
    for cells in _cells_of_one_model(data)[:1]:
        for problem in np.flatnonzero((data.done[cells] > 0).all(axis=0))[:1].tolist():
            sides = []
            for cell in cells:
                row = np.flatnonzero((a.cell == cell) & (a.problem == problem) & (a.outcome > 0))[0]
                text = first_prompt(data.runs[int(a.run[row])].path, int(a.id[row]))
                sides += [Listing(data.cells[cell].mode, text, folded=False)] if text else []
            if sides:
                whose = f"{data.problems[problem].name}, {data.cells[cells[0]].label}"
                several = len(sides) > 1
                note = "Marked lines are not in all modes: only what a mode offers may differ."
                title = f"Prompts as sent: {whose}"
                return [SideBySide(title, tuple(sides), several, note if several else "")]
    return []


def _cells_of_one_model(data: Data) -> list[list[int]]:
    """For each model its cells with finished attempts; the model with most modes first."""
    finished = [i for i in range(len(data.cells)) if data.done[i].any()]
    by_model = [[i for i in finished if data.cells[i].label == m] for m in data.models]
    return sorted((cells for cells in by_model if cells), key=lambda cells: -len(cells))


def _prompt(cells: list[Any], model: str) -> str:
    for cell in cells:
        if cell.label == model:
            value = cell.settings.get("prompt", "")
            return value if isinstance(value, str) else _pretty(value)
    return ""


def _pretty(value: Any) -> str:
    if isinstance(value, Mapping):
        value = {key: inner for key, inner in value.items() if key != "prompt"}
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)


def provenance(data: Data) -> Section:
    """Hashes, versions, machine."""
    models: list[tuple[Value, ...]] = []
    for label in data.models:
        cell = next(c for c in data.cells if c.label == label)
        alpha = cell.alpha if cell.alpha is not None else None
        models.append((label, cell.family or "–", alpha, _inline(cell.identity)))
    problems: list[tuple[Value, ...]] = [
        (p.name, p.title, p.difficulty, p.time_limit_s, p.memory_limit_bytes / 2**20, p.tests,
         p.max_input_bytes, p.digest[:16])
        for p in data.problems
    ]  # fmt: skip
    blocks: list[Block] = [
        table("models", "Models as served",
              ["model", "family", "α:exact", "identity"], models),
        table("problems_list", "Problems",
              ["problem", "title", "difficulty", "time limit:seconds",
               "memory MiB:number", "tests:count", "largest input B:count",
               "digest"], problems),
    ]  # fmt: skip
    for run in data.runs:
        blocks.append(
            Listing(f"{run.name}: recorded at the start of the run", _pretty(dict(run.meta)))
        )
    return Section("provenance", "Provenance", tuple(blocks))


def _inline(value: Mapping[str, Any]) -> str:
    parts = []
    for key, inner in value.items():
        text = (
            inner if isinstance(inner, str) else json.dumps(inner, ensure_ascii=False, default=str)
        )
        parts.append(
            f"{key}: {text[:16] + '…' if len(text) > 40 and ' ' not in text else text[:200]}"
        )
    return "; ".join(parts) or "not recorded"


def limitations(data: Data) -> Section:
    """What a reader must keep in mind, from the data at hand."""
    said = [
        "Intervals are over problems (or clusters of problems where a suite declares them): they"
        " say how the numbers would vary with other problems of the same kind, not with other"
        " training runs. One training run a checkpoint gives no interval over training.",
        "Comparisons along α and between modes are not corrected for choices made before the run.",
    ]
    groups = len(set(data.clusters.tolist()))
    if groups < 20:
        said.append(
            f"The intervals rest on {groups} independent problem{'s' if groups != 1 else ''} or"
            " clusters: few units, so they are rough."
        )
    if not data.complete:
        said.append("The run is incomplete: every number here may change.")
    smallest = int(data.done[data.done > 0].min()) if data.finished else 0
    if smallest == 1:
        said.append("One sample a problem: pass@k beyond k = 1 is undefined.")
    unknown = int(((data.attempts.any_wrong < 0) & (data.attempts.outcome > 1)).sum())
    if unknown:
        said.append(
            f"For {unknown:,} failed attempts only the first failing test is known, so the"
            f" attribution “any wrong” is unknown for them; judge with --all-tests to know it."
        )
    for text in data.differences:
        said.append(
            f"Shown although not comparable (--force; marked †, left out of curves): {text}."
        )
    said += [f"{note}." for note in data.notes]
    return Section("limitations", "Limitations", (Prose(tuple(said), "list"),))
