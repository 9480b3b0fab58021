"""A problem's digest: of everything that can change a verdict or what the model is asked.

Only content counts, never paths, times or the order of files on disk, so that two machines which
hold the same problem agree.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from agent.suite.problem import Checker, Data, Problem

FORMAT = 1  # raised when the digest itself is computed in another way


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def canonical(value: Mapping[str, Any]) -> str:
    """The hash of a JSON value, whatever the order of its keys."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return sha256(text.encode("utf-8", "surrogatepass"))


def _of_data(data: Data) -> str:
    known = getattr(data, "sha256", None)
    return str(known()) if known is not None else sha256(data.read())


def digest_of(problem: Problem, tests_digest: str | None = None) -> str:
    """The digest of a problem whose `digest` is still empty.

    tests_digest: a hash of all tests' content that the source knows already; without it every
    test is read.
    """
    comparator: dict[str, Any] = {}
    if isinstance(problem.comparator, Checker):
        files = problem.comparator.files
        comparator = {
            "kind": problem.comparator.kind,
            "language": problem.comparator.language,
            "flags": problem.comparator.flags,
            "files": sorted((path.name, sha256(path.read_bytes())) for path in files),
        }
    else:
        comparator = asdict(problem.comparator)
    return canonical(
        {
            "format": FORMAT,
            "kind": problem.kind,
            "statement": problem.statement,
            "limits": asdict(problem.limits),
            "comparator": comparator,
            "starter_code": problem.starter_code,
            "function": problem.function,
            "tests": tests_digest
            or [
                [t.name, _of_data(t.input), _of_data(t.answer), t.sample, t.group, t.flags]
                for t in problem.tests
            ],
        }
    )


def with_digest(problem: Problem, tests_digest: str | None = None) -> Problem:
    return replace(problem, digest=digest_of(problem, tests_digest))
