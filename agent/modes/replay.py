"""Reads one attempt of a run back from its database, read-only."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from agent.errors import UsageError


def read_attempt(run: Path, attempt: int) -> dict[str, Any]:
    """Everything stored of one attempt. Raises UsageError when there is none, or not yet."""
    from agent.report.read import connect, run_file

    with connect(run_file(run)) as db:
        row = db.execute(
            'SELECT model, mode, problem_name, sample, outcome, verdict, "end", prompt_tokens,'
            " completion_tokens, reasoning_tokens, turns, tool_calls, wall_s, working_s"
            " FROM outcomes WHERE attempt = ?",
            (attempt,),
        ).fetchone()
        if row is None:
            low, high = db.execute("SELECT MIN(id), MAX(id) FROM attempts").fetchone()
            raise UsageError(f"{run}: no attempt {attempt}; there are {low} to {high}")
        seed = db.execute("SELECT seed FROM attempts WHERE id = ?", (attempt,)).fetchone()[0]
        body = db.execute("SELECT body FROM transcripts WHERE attempt = ?", (attempt,)).fetchone()
    if body is None:
        raise UsageError(f"{run}: attempt {attempt} has not ended yet; it is owed")
    names = (
        *("model", "mode", "problem", "sample", "outcome", "verdict", "end", "prompt_tokens"),
        *("completion_tokens", "reasoning_tokens", "turns", "tool_calls", "wall_s", "working_s"),
    )
    transcript = json.loads(zlib.decompress(body[0]))
    return {
        "attempt": attempt,
        **dict(zip(names, row, strict=True)),
        "seed": seed,
        "transcript": transcript,
    }


def conversation(transcript: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The messages in the order in which they were added."""
    return [message for entry in transcript for message in entry.get("messages", ())]


def readable(transcript: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """(heading, text) of everything that happened, for a person."""
    for entry in transcript:
        at = f"turn {entry['turn']}, {entry['at_s']:g} s"
        match entry["type"]:
            case "prompt":
                yield "prompt", "\n".join(m["content"] for m in entry["messages"])
            case "answer":
                if entry["thoughts"]:
                    yield f"thoughts ({at})", entry["thoughts"]
                usage = entry["usage"]
                yield (
                    f"answer ({at}; {usage['completion_tokens']} tokens in"
                    f" {entry['latency_s']:g} s, {entry['finish_reason']})",
                    "\n".join(m["content"] or "" for m in entry["messages"]),
                )
                for call in entry["tool_calls"]:
                    yield f"call {call['name']}", call["arguments"]
            case "results":
                for call in entry["calls"]:
                    yield f"result of {call['name']} ({at}; {call['wall_s']:g} s)", call["result"]
            case "note":
                text = "\n".join(m["content"] for m in entry["messages"])
                yield f"harness ({at}): {entry['why']}", text
            case "submission":
                yield f"submission by {entry['by']} ({at}, {entry['language']})", entry["source"]
            case "end":
                yield f"end ({at})", f"{entry['end']} (stopped by {entry['stopped_by']})"
