"""From measurements to verdicts, coverages, attributions and growth: tables and properties."""

from __future__ import annotations

import math
import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.judge.compare import Comparison
from agent.judge.decide import any_wrong, coverage, ended_well, verdict_of
from agent.judge.growth import growth
from agent.judge.verdict import Outcome, TestResult, Verdict, first_failure
from agent.sandbox import Ended, Execution

RIGHT, WRONG = Comparison(True), Comparison(False, "no")


def execution(
    ended: Ended = Ended.EXITED,
    code: int | None = 0,
    sig: int | None = None,
    cpu_s: float = 0.1,
) -> Execution:
    return Execution(ended, code, sig, cpu_s, cpu_s, 0.0, 1 << 20, b"", b"", 0, 0)


@pytest.mark.parametrize(
    ("ran", "comparison", "verdict"),
    [
        (execution(), RIGHT, "AC"),
        (execution(), WRONG, "WA"),
        (execution(), None, "IE"),
        (execution(cpu_s=1.0), RIGHT, "AC"),  # the limit itself is within
        (execution(cpu_s=1.0001), RIGHT, "TLE"),
        (execution(cpu_s=1.0001), WRONG, "TLE"),
        (execution(Ended.CPU_LIMIT, None, cpu_s=2.0), None, "TLE"),
        (execution(Ended.CPU_LIMIT, None, cpu_s=0.9), None, "TLE"),
        (execution(Ended.MEMORY_LIMIT, None), None, "MLE"),
        (execution(Ended.MEMORY_LIMIT, 0), RIGHT, "MLE"),  # a child was killed, the parent is well
        (execution(Ended.MEMORY_LIMIT, None, cpu_s=1.5), None, "TLE"),  # that came first
        (execution(Ended.OUTPUT_LIMIT, None), None, "OLE"),
        (execution(Ended.OUTPUT_LIMIT, None, cpu_s=1.5), None, "TLE"),
        (execution(Ended.IDLE_LIMIT, None), None, "ILE"),
        (execution(Ended.WALL_LIMIT, None), None, "IE"),
        (execution(Ended.WALL_LIMIT, None, cpu_s=5.0), None, "IE"),
        (execution(Ended.KILLED, None), None, "IE"),
        (execution(code=1), RIGHT, "RE"),
        (execution(code=1, cpu_s=1.5), RIGHT, "TLE"),
        (execution(code=42), RIGHT, "RE"),
        (execution(code=137), WRONG, "RE"),  # a code is not a signal, and says nothing of memory
        (execution(Ended.SIGNALED, None, signal.SIGSEGV), None, "RE"),
        (execution(Ended.SIGNALED, None, signal.SIGKILL), None, "RE"),
        (execution(Ended.SIGNALED, None, signal.SIGXCPU), None, "RE"),
        (execution(Ended.SIGNALED, None, signal.SIGXFSZ), None, "OLE"),
        (execution(Ended.SIGNALED, None, signal.SIGSEGV, 1.5), None, "TLE"),
    ],
)
def test_verdicts(ran: Execution, comparison: Comparison | None, verdict: str) -> None:
    assert verdict_of(ran, comparison, 1.0) == verdict


@given(
    st.sampled_from(list(Ended)),
    st.sampled_from([0, 1, 42, 139, None]),
    st.floats(0, 3),
    st.sampled_from([RIGHT, WRONG, None]),
)
def test_accepted_only_by_the_one_way(
    ended: Ended, code: int | None, cpu_s: float, comparison: Comparison | None
) -> None:
    ran = execution(ended, code, 11 if ended is Ended.SIGNALED else None, cpu_s)
    accepted = verdict_of(ran, comparison, 1.0) is Verdict.AC
    assert accepted is (ended_well(ran, 1.0) and comparison is RIGHT)


def results(*rows: tuple[int, str]) -> list[TestResult]:
    return [TestResult(str(i), Verdict(v), size) for i, (size, v) in enumerate(rows)]


def test_coverages_nest_and_empty_ones_are_named() -> None:
    passed, empty = coverage(results((5, "AC"), (9, "AC"), (500, "WA"), (5000, "SK")))
    assert passed == {
        "1": True, "2": True, "3": False, "4": False, "5": False, "6": False, "full": False
    }  # fmt: skip
    assert empty == ()
    assert coverage(results((10, "AC")))[1] == ("1",)
    assert coverage(results((10**6, "TLE")))[0]["6"] is True


@given(st.lists(st.tuples(st.integers(1, 10**7), st.sampled_from(["AC", "AC", "AC", "WA", "TLE"]))))
def test_stopping_early_decides_every_coverage(rows: list[tuple[int, str]]) -> None:
    rows.sort(key=lambda row: row[0])
    full = results(*rows)
    stopped: list[TestResult] = []
    for result in full:
        failed = first_failure(stopped) is not Verdict.AC
        stopped.append(
            TestResult(result.name, Verdict.SK, result.input_bytes) if failed else result
        )
    assert coverage(full) == coverage(stopped)
    assert first_failure(full) == first_failure(stopped)
    passed, _ = coverage(full)
    flags = [passed[str(k)] for k in range(1, 7)] + [passed["full"]]
    assert flags == sorted(flags, reverse=True)


@pytest.mark.parametrize(
    ("verdicts", "outcome"),
    [
        ("AC AC", Outcome.SOLVED),
        ("AC TLE MLE", Outcome.OPTIMIZATION_FAILURE),
        ("TLE WA", Outcome.CORRECTNESS_FAILURE),
        ("TLE ILE", Outcome.CORRECTNESS_FAILURE),
        ("WA SK", None),
        ("", None),
    ],
)
def test_any_wrong(verdicts: str, outcome: Outcome | None) -> None:
    assert any_wrong(results(*((1, v) for v in verdicts.split()))) == outcome


def test_growth_of_a_square() -> None:
    tests = [
        TestResult(str(n), Verdict.AC, n, cpu_s=0.005 + 1e-8 * n * n)
        for n in (1, 3000, 6000, 12000)
    ]
    fitted = growth(tests)
    assert fitted is not None
    assert math.isclose(fitted.exponent, 2, abs_tol=0.01)
    assert fitted.error < 0.01
    assert growth(tests[:3]) is None
    assert growth([]) is None
