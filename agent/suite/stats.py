"""How large a suite is, and how nested coverage splits its tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agent.suite.problem import Problem, coverage_of

COVERAGES = 6  # beyond it only "full" is told apart
STARTUP_S = 0.02  # what the shortest test costs: an interpreter that starts in a fresh box


@dataclass(frozen=True, slots=True)
class Coverage:
    """What the tests with an input shorter than 10^k bytes amount to; k = 0 stands for all."""

    k: int
    tests: int
    added: int  # tests that k - 1 does not hold
    problems: int  # with at least one test in it; for the others R_k is vacuously 1
    input_bytes: int

    @property
    def label(self) -> str:
        return f"< 10^{self.k} B" if self.k else "full"


@dataclass(frozen=True, slots=True)
class Stats:
    problems: int
    difficulties: dict[str, int]
    kinds: dict[str, int]
    tests: int
    samples: int
    input_bytes: int
    answer_bytes: int
    coverages: tuple[Coverage, ...]
    attempts: int  # of each problem, for the estimate
    judge_s_least: float  # core seconds: every attempt passes every test at once
    judge_s_most: float  # core seconds: every test of every attempt takes its whole limit

    def as_json(self) -> dict[str, Any]:
        from dataclasses import asdict

        return asdict(self)


def stats_of(problems: Sequence[Problem], attempts: int) -> Stats:
    """Counts over a suite. attempts: of each problem, all models and modes together."""
    tests = [(p, t.input.size, coverage_of(t.input.size)) for p in problems for t in p.tests]
    coverages: list[Coverage] = []
    for k in (*range(1, COVERAGES + 1), 0):
        held = [(p, size) for p, size, least in tests if k == 0 or least <= k]
        before = sum(c.added for c in coverages)
        coverages.append(
            Coverage(
                k=k,
                tests=len(held),
                added=len(held) - before,
                problems=len({p.id for p, _ in held}),
                input_bytes=sum(size for _, size in held),
            )
        )
    return Stats(
        problems=len(problems),
        difficulties=dict(Counter(p.difficulty or "unknown" for p in problems)),
        kinds=dict(Counter(str(p.kind) for p in problems)),
        tests=len(tests),
        samples=sum(t.sample for p in problems for t in p.tests),
        input_bytes=sum(size for _, size, _ in tests),
        answer_bytes=sum(t.answer.size for p in problems for t in p.tests),
        coverages=tuple(coverages),
        attempts=attempts,
        judge_s_least=attempts * len(tests) * STARTUP_S,
        judge_s_most=attempts * sum(p.limits.time_s for p, _, _ in tests),
    )
