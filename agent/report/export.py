"""Attempts and tables as Parquet, CSV or JSON lines."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from agent.errors import UsageError
from agent.report import render
from agent.report.combine import Data
from agent.report.document import Document
from agent.report.read import COVERAGES, OUTCOMES, VERDICTS

_BATCH = 50_000


def columns(data: Data) -> dict[str, NDArray[Any]]:
    """One array a column, one entry per planned attempt; what is unknown is masked."""
    a = data.attempts

    def named(codes: NDArray[Any], names: tuple[str, ...]) -> NDArray[Any]:
        table = np.array([*names, ""], dtype=object)
        return np.ma.masked_array(table[codes], mask=(codes < 0) | (table[codes] == ""))

    def number(values: NDArray[Any]) -> NDArray[Any]:
        missing = np.isnan(values) if values.dtype.kind == "f" else values < 0
        return np.ma.masked_array(values, mask=missing)

    def of_cells(values: list[Any]) -> NDArray[Any]:
        return named(a.cell, tuple(value or "" for value in values))

    alphas = np.array([np.nan if c.alpha is None else c.alpha for c in data.cells] or [np.nan])
    coverage = a.coverage.astype(np.int64)
    reward = {
        f"r_{name}": np.ma.masked_array((coverage >> bit) & 1 == 1, mask=a.coverage < 0)
        for bit, name in enumerate(COVERAGES)
    }
    return {
        "run": named(a.run, tuple(run.name for run in data.runs)),
        "attempt": a.id,
        "model": of_cells([c.label for c in data.cells]),
        "family": of_cells([c.family for c in data.cells]),
        "alpha": number(alphas[a.cell] if len(a) else np.empty(0)),
        "mode": of_cells([c.mode for c in data.cells]),
        "problem": named(a.problem, tuple(p.name for p in data.problems)),
        "difficulty": named(a.problem, tuple(p.difficulty for p in data.problems)),
        "cluster": named(a.problem, tuple(p.cluster for p in data.problems)),
        "sample": a.sample,
        "outcome": named(a.outcome, OUTCOMES),
        "any_wrong": named(a.any_wrong, OUTCOMES),
        "verdict": named(a.verdict, VERDICTS),
        **reward,
        "end": named(a.end, data.ends),
        "prompt_tokens": number(a.prompt_tokens),
        "completion_tokens": number(a.completion_tokens),
        "reasoning_tokens": number(a.reasoning_tokens),
        "turns": number(a.turns),
        "tool_calls": number(a.tool_calls),
        "wall_s": number(a.wall_s),
        "working_s": number(a.working_s),
        "max_time_ratio": number(a.max_time_ratio),
        "submission": number(a.submission),
    }


def _rows(table: Mapping[str, NDArray[Any]]) -> Iterator[list[Any]]:
    """Rows of Python values, a batch at a time; None where masked."""
    length = len(next(iter(table.values())))
    for start in range(0, length, _BATCH):
        part = [values[start : start + _BATCH].tolist() for values in table.values()]
        yield from map(list, zip(*part, strict=True))


def write_csv(data: Data, out: IO[str]) -> None:
    """One header line, one line per attempt; empty where there is no value."""
    table = columns(data)
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(_rows(table))


def write_jsonl(data: Data, out: IO[str]) -> None:
    """One JSON object per line and attempt; null where there is no value."""
    table = columns(data)
    for row in _rows(table):
        out.write(json.dumps(dict(zip(table, row, strict=True)), ensure_ascii=False) + "\n")


def write_parquet(data: Data, path: Path) -> None:
    """One Parquet file; text columns are dictionary-encoded."""
    arrow = _arrow()
    arrays = {}
    for name, values in columns(data).items():
        mask = np.ma.getmaskarray(values)
        plain = np.ma.getdata(values)
        kind = arrow.string() if plain.dtype == object else None
        arrays[name] = arrow.array(plain, type=kind, mask=mask)
    _parquet(arrow.table(arrays), path)


def write_tables(document: Document, data: Data, folder: Path) -> list[Path]:
    """Every table of the report and the attempts, one Parquet file each; the paths written."""
    arrow = _arrow()
    from pyarrow import csv as arrow_csv

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written ({error.strerror})") from error
    written = [folder / "attempts.parquet"]
    write_parquet(data, written[0])
    for table in document.tables():
        if table.rows:
            path = folder / f"{table.key}.parquet"
            text = arrow.py_buffer(render.csv(table).encode())
            _parquet(arrow_csv.read_csv(arrow.BufferReader(text)), path)
            written.append(path)
    return written


def _arrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise UsageError("Parquet needs pyarrow: pip install 'frontier-agent[parquet]'") from None
    return pyarrow


def _parquet(table: Any, path: Path) -> None:
    from pyarrow import parquet

    try:
        parquet.write_table(table, path, compression="zstd")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error})") from error


WRITERS: dict[str, Callable[[Data, IO[str]], None]] = {"csv": write_csv, "jsonl": write_jsonl}
