"""A source made of a row format: files, index, filters, problems."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from agent.shipped import cache_folder
from agent.suite.digest import sha256, with_digest
from agent.suite.errors import SuiteError
from agent.suite.paths import pattern_of
from agent.suite.problem import Checker, Problem, ProblemKind, ProblemLimits
from agent.suite.select import chosen
from agent.suite.sources import Loaded, Say, SourceOptions
from agent.suite.sources.hub import is_hub_name, local_copies
from agent.suite.sources.index import Entry, Index, Tested, open_index
from agent.suite.sources.lazy import RowRef, RowTests, measure
from agent.suite.sources.row_format import Head, RowFormat
from agent.suite.sources.rows import open_data

PARALLEL_FROM = 8 << 20  # bytes of rows: below it a second process costs more than it brings


@dataclass(frozen=True, slots=True)
class Dataset:
    """The `Source` of one row format. Defaults are those of the data set's own grader."""

    format: RowFormat
    time_s: float
    memory_bytes: int = 1 << 30
    options: type[SourceOptions] = SourceOptions

    def load(self, options: SourceOptions, base: Path, say: Say) -> Loaded:
        problems: list[Problem] = []
        skipped: list[tuple[str, str]] = []
        files = [
            (path, open_index(open_data(path, say), self.format, say))
            for path in data_files(options.path, base, say)
        ]
        rows = [(index, entry) for _, index in files for entry in index.entries()]
        skipped += [(_place(index, e), e.skip) for index, e in rows if e.skip]
        good = [(e.facts, (index, e)) for index, e in rows if not e.skip]
        picked = chosen(good, options)
        seen: set[str] = set()
        for _, index in files:
            entries = [e for other, e in picked if other is index]
            for problem, place, skip in self._problems(index, entries, say):
                if skip or problem is None:
                    skipped.append((place, skip))
                elif problem.id in seen:
                    skipped.append((place, "the id of an earlier problem again"))
                else:
                    seen.add(problem.id)
                    problems.append(problem)
        return Loaded(tuple(problems), tuple(skipped))

    def _problems(
        self, index: Index, entries: Sequence[Entry], say: Say
    ) -> Iterator[tuple[Problem | None, str, str]]:
        lines = [e.line.number for e in entries]
        heads, identity = index.heads(lines), index.data.identity()
        refs = [RowRef(index.data, index.format, e.line, identity) for e in entries]
        tested = _tested(index, refs, say)
        for entry, ref in zip(entries, refs, strict=True):
            number = entry.line.number
            skip = tested[number].skip or _missing_header(heads[number])
            if skip:
                yield None, _place(index, entry), skip
            else:
                yield self._problem(heads[number], ref, tested[number]), "", ""

    def _problem(self, head: Head, ref: RowRef, tested: Tested) -> Problem:
        return with_digest(
            Problem(
                id=head.id,
                title=head.title,
                statement=head.statement,
                limits=ProblemLimits(
                    time_s=head.time_s or self.time_s,
                    memory_bytes=head.memory_bytes or self.memory_bytes,
                ),
                tests=RowTests(ref, tested.sizes),
                comparator=_checker(head) if head.checker else head.comparator,
                kind=ProblemKind(head.kind),
                difficulty=head.difficulty,
                tags=head.tags,
                source=head.source,
                starter_code=head.starter_code,
                function=head.function,
                extra={**head.extra, **({"date": head.date} if head.date else {})},
            ),
            tests_digest=tested.digest,
        )


def _place(index: Index, entry: Entry) -> str:
    where = f"{index.data.origin.name}:{entry.line.number}"
    return f"{entry.facts.id} ({where})" if entry.facts.id else where


def _missing_header(head: Head) -> str:
    """Why the row's checker could not be built here, or ""."""
    if "testlib.h" not in head.checker or os.environ.get("FRONTIER_AGENT_TESTLIB"):
        return ""
    return "its checker needs testlib.h: set FRONTIER_AGENT_TESTLIB to that file"


def _checker(head: Head) -> Checker:
    """A checker out of the data, as a file that the judge can build."""
    content = head.checker.encode()
    folder = cache_folder("checkers") / sha256(content)[:32]
    path = folder / ("checker.py" if head.checker_language == "python" else "checker.cpp")
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        partial = folder / f".checker.{os.getpid()}"
        partial.write_bytes(content)
        os.replace(partial, path)
    return Checker(kind=head.checker_kind, files=(path,), language=head.checker_language)


def data_files(pattern: str, base: Path, say: Say) -> list[Path]:
    """The files that a source's `path` names: a file, a folder, a glob, or hf://…."""
    if is_hub_name(pattern):
        return local_copies(pattern, say)
    found: list[Path] = []
    for name in sorted(glob.glob(pattern_of(pattern, base), recursive=True)):
        path = Path(name)
        found += _data_in(path) if path.is_dir() else [path]
    if not found:
        raise SuiteError(f"no data file matches {base / Path(pattern).expanduser()}")
    return found


def _data_in(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if p.suffix in (".jsonl", ".parquet"))


def _tested(index: Index, refs: Sequence[RowRef], say: Say) -> dict[int, Tested]:
    """Sizes and hashes of the rows' tests; what the index lacks is read now and kept in it."""
    known = index.tested([ref.line.number for ref in refs])
    owed = [ref for ref in refs if ref.line.number not in known]
    if not owed:
        return known
    amount = sum(ref.line.length for ref in owed)
    if amount >= PARALLEL_FROM:
        say(f"{index.data.origin.name}: reading the tests of {len(owed)} problems (once)")
    fresh: list[tuple[int, Tested]] = []
    for ref, tested in zip(owed, _measured(owed, amount), strict=True):
        fresh.append((ref.line.number, tested))
        if len(fresh) == 256:
            index.add_tested(fresh)
            known.update(fresh)
            fresh = []
    index.add_tested(fresh)
    return {**known, **dict(fresh)}


def _measured(refs: Sequence[RowRef], amount: int) -> Iterator[Any]:
    cores = len(os.sched_getaffinity(0))
    if cores == 1 or amount < PARALLEL_FROM or len(refs) < 2:
        yield from map(measure, refs)
        return
    with ProcessPoolExecutor(min(cores, 16), mp_context=get_context("forkserver")) as pool:
        yield from pool.map(measure, refs)
