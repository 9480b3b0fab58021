"""What was planned, what is done, and what stood in the way. Comes before any result."""

from __future__ import annotations

import numpy as np

from agent.report.combine import Data
from agent.report.document import Block, Prose, Section, Value, table
from agent.report.metrics.counts import missing_bounds, tally
from agent.report.read import NO_SUBMISSION, OWED, SOLVED, Trouble

ENDINGS = {
    "no_code_block": "no code block",
    "truncated_in_reasoning": "cut off while thinking",
    "truncated": "cut off by the token limit of a turn",
    "context_full": "context full",
    "turn_limit": "turn limit",
    "token_limit": "token limit",
    "time_limit": "time limit",
    "format_errors": "malformed tool calls",
    "sandbox_destroyed": "destroyed its sandbox",
    "request_rejected": "request rejected by the server",
}


def completeness(data: Data) -> Section:
    """Planned, done, owed and infrastructure errors, cell by cell."""
    blocks: list[Block] = []
    owed = data.planned - data.finished
    errors = sum(t.count for t in _trouble(data))
    if data.planned == 0:
        blocks.append(
            Prose(("No attempt has been planned: there is nothing to report.",), "warning")
        )
    elif owed:
        blocks.append(
            Prose(
                (
                    f"This report is incomplete: {owed:,} of {data.planned:,} planned attempts are"
                    " still owed. Rates are over finished attempts; the columns “at least” and “at"
                    " most” count every owed attempt as unsolved and as solved.",
                ),
                "warning",
            )
        )
    else:
        blocks.append(Prose((f"All {data.planned:,} planned attempts are done. {_said(errors)}",)))
    blocks.append(_cells(data))
    trouble = _trouble(data)
    if trouble:
        rows = [(t.stage, t.message, t.count, t.attempts) for t in trouble]
        blocks.append(
            table(
                "errors", "Infrastructure errors (never counted as a failure of the model)",
                ["stage", "message", "errors:count", "attempts:count"],
                rows,
            )
        )  # fmt: skip
    no_submission = endings(data)
    if no_submission:
        blocks.append(no_submission)
    return Section("completeness", "Completeness", tuple(blocks))


def _said(errors: int) -> str:
    if not errors:
        return "No infrastructure error occurred."
    return f"{errors:,} infrastructure errors occurred on the way and were retried."


def _trouble(data: Data) -> list[Trouble]:
    return sorted((t for run in data.runs for t in run.trouble), key=lambda t: -t.count)


def _cells(data: Data) -> Block:
    errors = np.zeros(len(data.cells), dtype=np.int64)
    for number, run in enumerate(data.runs):
        places = [
            next(
                i for i, cell in enumerate(data.cells)
                if number in cell.runs and cell.model == row.model and cell.mode == row.mode
            )
            for row in run.cells
        ]  # fmt: skip
        np.add.at(errors, places, run.errors_by_cell)
    counts = data.counts.sum(axis=1)
    rows = []
    for i, cell in enumerate(data.cells):
        planned = int(counts[i].sum())
        done = planned - int(counts[i, OWED])
        low, high = missing_bounds(int(counts[i, SOLVED]), done, planned)
        rows.append(
            (cell.mode, cell.label, planned, done, planned - done, int(errors[i]), low, high)
        )
    return table(
        "completeness", "Planned, done and owed attempts",
        ["mode", "model", "planned:count", "done:count",
         "owed:count", "with errors:count",
         "solved at least:rate", "at most:rate"],
        rows,
        "“With errors”: attempts that met an infrastructure error at least once, retried since or"
        " still owed.",
    )  # fmt: skip


def endings(data: Data) -> Block | None:
    """Why attempts ended without a submission; None when all had one."""
    a = data.attempts
    without = a.outcome == NO_SUBMISSION
    if not without.any():
        return None
    shape = (len(data.cells), len(data.ends))
    flat = tally((np.where(without, a.cell, -1), a.end), shape)
    used = np.flatnonzero(flat.sum(axis=0))
    rows: list[tuple[Value, ...]] = [
        (cell.mode, cell.label, int(data.done[i].sum()), *(int(v) for v in flat[i, used]))
        for i, cell in enumerate(data.cells)
        if data.done[i].any()
    ]
    reasons = [ENDINGS.get(data.ends[e], data.ends[e]) for e in used]
    return table(
        "no_submission", "Attempts without a submission, by reason",
        ["mode", "model", "n:count", *(f"{r}:count" for r in reasons)],
        rows,
        "These count as unsolved.",
    )  # fmt: skip
