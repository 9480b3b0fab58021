"""Puts runs side by side: one table of cells, one of problems, one of attempts.

Rows are only comparable when the same tests were judged in the same way and a mode means the same
prompt, tools and limits everywhere. Where that does not hold, combining is refused by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.errors import UsageError
from agent.report.metrics.counts import tally
from agent.report.read import OUTCOMES, Attempts, CellRow, ProblemRow, RunData, read_run

MODE_ORDER = ("reasoning", "tool_use", "agentic")
# Conditions of a judging that are recorded but cannot change a verdict by themselves.
_HARMLESS = {"all_tests", "machine", "workers", "cores", "created_at", "host", "notes"}


@dataclass(frozen=True, slots=True)
class Cell:
    """One model in one mode, over all runs that hold it."""

    model: str
    family: str | None
    alpha: float | None
    mode: str
    settings: Mapping[str, Any]
    identity: Mapping[str, Any]
    runs: tuple[int, ...]
    marked: bool = False  # not comparable with the others; shown because of --force

    @property
    def label(self) -> str:
        return self.model + ("†" if self.marked else "")

    @property
    def scale(self) -> str:
        """The family, or "" for a model that belongs to none."""
        return self.family or ""


@dataclass(frozen=True)
class Data:
    """Runs, combined. Cells are ordered by mode, then family, then alpha."""

    runs: tuple[RunData, ...]
    cells: tuple[Cell, ...]
    problems: tuple[ProblemRow, ...]
    ends: tuple[str, ...]
    attempts: Attempts
    differences: tuple[str, ...]  # what --force overrode
    notes: tuple[str, ...]  # differences that cannot change a verdict, but should be known

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Attempts per cell, problem and OUTCOMES: (C, P, 5)."""
        a = self.attempts
        shape = (len(self.cells), len(self.problems), len(OUTCOMES))
        return tally((a.cell, a.problem, a.outcome), shape)

    @cached_property
    def done(self) -> NDArray[np.int64]:
        """Finished attempts per cell and problem: (C, P)."""
        finished: NDArray[np.int64] = self.counts[:, :, 1:].sum(axis=2)
        return finished

    @cached_property
    def clusters(self) -> NDArray[np.int64]:
        """Cluster number of every problem, (P,)."""
        names = [problem.cluster for problem in self.problems]
        inverse: NDArray[np.int64] = np.unique(names, return_inverse=True)[1].astype(np.int64)
        return inverse

    @cached_property
    def planned(self) -> int:
        return len(self.attempts)

    @cached_property
    def finished(self) -> int:
        return int(np.count_nonzero(self.attempts.outcome))

    @property
    def complete(self) -> bool:
        return self.planned == self.finished

    @cached_property
    def modes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(cell.mode for cell in self.cells))

    @cached_property
    def models(self) -> tuple[str, ...]:
        ordered = sorted(self.cells, key=_model_key)
        return tuple(dict.fromkeys(cell.label for cell in ordered))

    @cached_property
    def families(self) -> tuple[str, ...]:
        """Families with at least two members on one mode's curve."""
        names = sorted({cell.family for cell in self.cells if cell.family})
        return tuple(
            name for name in names if any(len(self.curve(m, name)) > 1 for m in self.modes)
        )

    @cached_property
    def difficulties(self) -> tuple[str, ...]:
        """Difficulties in the order easy, medium, hard, then the others by name."""
        known = ("easy", "medium", "hard")
        found = {problem.difficulty for problem in self.problems if problem.difficulty}
        rest = sorted(found - set(known))
        return tuple(d for d in known if d in found) + tuple(rest)

    def curve(self, mode: str, family: str) -> list[int]:
        """Cells of one family in one mode, by alpha; marked ones stay out of curves."""
        return [
            i
            for i, cell in enumerate(self.cells)
            if (cell.mode, cell.family) == (mode, family)
            and cell.alpha is not None
            and not cell.marked
        ]

    def find(self, model: str, mode: str) -> int | None:
        """The cell with this label and mode."""
        for i, cell in enumerate(self.cells):
            if cell.label == model and cell.mode == mode:
                return i
        return None


def load(paths: Sequence[Path], *, force: bool = False) -> Data:
    """Reads and combines runs; UsageError when they cannot be compared (unless `force`)."""
    resolved = list(dict.fromkeys(path.resolve() for path in paths))
    return combine([read_run(path) for path in resolved], force=force)


def combine(runs: Sequence[RunData], *, force: bool = False) -> Data:
    """One `Data` of several runs. Same model and mode in several runs: samples are added."""
    if not runs:
        raise UsageError("no run given")
    problem_differences, marked = _compare_problems(runs)
    judging_differences, judging_notes, judging_marked = _compare_judgings(runs)
    mode_differences, mode_marked = _compare_modes(runs)
    model_differences, model_marked = _compare_models(runs)
    differences = (
        problem_differences + judging_differences + mode_differences + model_differences
    )  # fmt: skip
    if differences and not force:
        shown = "; ".join(differences[:3])
        more = f"; and {len(differences) - 3} more" if len(differences) > 3 else ""
        raise UsageError(f"these runs cannot be compared: {shown}{more} (--force marks them)")
    marked |= judging_marked | mode_marked | model_marked
    problems = _merge_problems(runs)
    cells, cell_maps = _merge_cells(runs, marked)
    ends = tuple(sorted({end for run in runs for end in run.ends}))
    position = {name: i for i, name in enumerate(p.name for p in problems)}
    parts = []
    for number, run in enumerate(runs):
        problem_map = np.array([position[p.name] for p in run.problems], dtype=np.int32)
        end_map = np.array([*(ends.index(end) for end in run.ends), -1], dtype=np.int16)
        a = run.attempts
        parts.append(
            replace(
                a,
                cell=_mapped(cell_maps[number], a.cell),
                problem=_mapped(problem_map, a.problem),
                end=end_map[a.end],
                run=np.full(len(a), number, np.int16),
            )
        )
    attempts = parts[0] if len(parts) == 1 else _concatenate(parts)
    notes = judging_notes + _repeated_seeds(runs)
    return Data(
        tuple(runs), cells, problems, ends, attempts, tuple(differences), tuple(notes)
    )  # fmt: skip


def _mapped(table: NDArray[np.int32], codes: NDArray[np.int32]) -> NDArray[np.int32]:
    return table[codes] if len(codes) else codes


def _concatenate(parts: Sequence[Attempts]) -> Attempts:
    return Attempts(
        **{f.name: np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(Attempts)}
    )


def _model_key(cell: CellRow | Cell) -> tuple[bool, str, float, str]:
    alpha = cell.alpha if cell.alpha is not None else 0.0
    return cell.family is None, cell.family or "", alpha, cell.model


def _mode_key(mode: str) -> tuple[int, str]:
    return (MODE_ORDER.index(mode) if mode in MODE_ORDER else len(MODE_ORDER)), mode


def _merge_problems(runs: Sequence[RunData]) -> tuple[ProblemRow, ...]:
    found: dict[str, ProblemRow] = {}
    for run in runs:
        for problem in run.problems:
            found.setdefault(problem.name, problem)
    return tuple(found.values())


def _merge_cells(
    runs: Sequence[RunData], marked: set[int]
) -> tuple[tuple[Cell, ...], list[NDArray[np.int32]]]:
    """Cells over all runs in their order, and each run's map from its cells to them."""
    found: dict[tuple[str, str, bool, int], tuple[CellRow, list[int]]] = {}
    keys: list[list[tuple[str, str, bool, int]]] = []
    for number, run in enumerate(runs):
        mark = number in marked
        own = [(c.model, c.mode, mark, number if mark else -1) for c in run.cells]
        keys.append(own)
        for key, cell in zip(own, run.cells, strict=True):
            found.setdefault(key, (cell, []))[1].append(number)
    ordered = sorted(found, key=lambda k: (_mode_key(k[1]), _model_key(found[k][0]), k[2], k[3]))
    cells = tuple(
        Cell(c.model, c.family, c.alpha, c.mode, c.settings, c.identity, tuple(numbers), key[2])
        for key in ordered
        for c, numbers in (found[key],)
    )
    place = {key: i for i, key in enumerate(ordered)}
    return cells, [np.array([place[key] for key in own], dtype=np.int32) for own in keys]


def _compare_problems(runs: Sequence[RunData]) -> tuple[list[str], set[int]]:
    differences: list[str] = []
    marked: set[int] = set()
    first: dict[str, tuple[ProblemRow, str]] = {}
    for number, run in enumerate(runs):
        changed = 0
        example = ""
        for problem in run.problems:
            known, owner = first.setdefault(problem.name, (problem, run.name))
            if known.digest == problem.digest:
                continue
            changed += 1
            example = example or _problem_difference(known, problem, owner, run.name)
        if changed:
            more = f" (and {changed - 1} further problems)" if changed > 1 else ""
            differences.append(example + more)
            marked.add(number)
    return differences, marked


def _problem_difference(a: ProblemRow, b: ProblemRow, run_a: str, run_b: str) -> str:
    for what, x, y in (
        ("time limit", f"{a.time_limit_s:g} s", f"{b.time_limit_s:g} s"),
        ("memory limit", a.memory_limit_bytes, b.memory_limit_bytes),
        ("number of tests", a.tests, b.tests),
        ("tests or statement", a.digest[:10], b.digest[:10]),
    ):
        if x != y:
            return f"problem {a.name}: {what} {x} in {run_a}, {y} in {run_b}"
    return f"problem {a.name} differs"


def _compare_judgings(runs: Sequence[RunData]) -> tuple[list[str], list[str], set[int]]:
    settings = [run.judgings[0].settings if run.judgings else {} for run in runs]
    differences: list[str] = []
    notes: list[str] = []
    marked: set[int] = set()
    reference = next((i for i, s in enumerate(settings) if s), 0)
    for number, own in enumerate(settings):
        if not own:
            continue
        for key, before, now in _changed(settings[reference], own):
            text = (
                f"judging, {key}: {before} in {runs[reference].name}, {now} in {runs[number].name}"
            )
            if key.split(".")[0] in _HARMLESS:
                notes.append(text)
            else:
                differences.append(text)
                marked.add(number)
    return differences, notes, marked


def _compare_modes(runs: Sequence[RunData]) -> tuple[list[str], set[int]]:
    differences: list[str] = []
    marked: set[int] = set()
    first: dict[str, tuple[CellRow, str]] = {}
    for number, run in enumerate(runs):
        seen: set[str] = set()
        for cell in run.cells:
            known, owner = first.setdefault(cell.mode, (cell, run.name))
            if known.mode_hash == cell.mode_hash or owner == run.name or cell.mode in seen:
                continue
            seen.add(cell.mode)
            marked.add(number)
            changes = list(_changed(known.settings, cell.settings))
            what = "; ".join(f"{key} {a} → {b}" for key, a, b in changes[:2]) or "template or tools"
            differences.append(f"mode {cell.mode} in {owner} and {run.name}: {what}")
    return differences, marked


def _compare_models(runs: Sequence[RunData]) -> tuple[list[str], set[int]]:
    """Other weights under one name would be samples of two models in one cell."""
    differences: list[str] = []
    marked: set[int] = set()
    first: dict[str, tuple[Any, str]] = {}
    for number, run in enumerate(runs):
        for cell in run.cells:
            weights = cell.identity.get("weights")
            if weights is None:
                continue
            known, owner = first.setdefault(cell.model, (weights, run.name))
            if known != weights:
                marked.add(number)
                differences.append(
                    f"model {cell.model}: weights {_short(known)} in {owner},"
                    f" {_short(weights)} in {run.name}"
                )
    return list(dict.fromkeys(differences)), marked


def _changed(
    before: Mapping[str, Any], now: Mapping[str, Any], prefix: str = ""
) -> Iterable[tuple[str, str, str]]:
    """(dotted key, before, now) of every leaf that differs."""
    for key in sorted(before.keys() | now.keys()):
        a, b = before.get(key), now.get(key)
        if a == b:
            continue
        if isinstance(a, dict) and isinstance(b, dict):
            yield from _changed(a, b, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", _short(a), _short(b)


def _short(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 40 else text[:37] + "…"


def _repeated_seeds(runs: Sequence[RunData]) -> list[str]:
    """Runs with one seed that share a cell hold copies of samples, not more samples."""
    notes = []
    for i, a in enumerate(runs):
        for b in runs[i + 1 :]:
            shared = {(c.model, c.mode) for c in a.cells} & {(c.model, c.mode) for c in b.cells}
            if shared and a.meta.get("seed") == b.meta.get("seed") is not None:
                notes.append(
                    f"{a.name} and {b.name} share {len(shared)} cells and the run seed: their"
                    " samples are repetitions of each other, not independent ones"
                )
    return notes
