"""What the judge says. Pure data and pure functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class Verdict(StrEnum):
    """Per test; CE and IE (and AC) also per submission."""

    AC = "AC"
    WA = "WA"
    TLE = "TLE"
    MLE = "MLE"
    RE = "RE"
    OLE = "OLE"  # output limit
    ILE = "ILE"  # idle: neither running nor runnable until the wall limit
    CE = "CE"  # does not compile
    SK = "SK"  # not run
    IE = "IE"  # the judge itself failed: never the model's fault


class Outcome(StrEnum):
    SOLVED = "solved"
    CORRECTNESS_FAILURE = "correctness_failure"
    OPTIMIZATION_FAILURE = "optimization_failure"
    NO_SUBMISSION = "no_submission"


_OUTCOME = {
    Verdict.AC: Outcome.SOLVED,
    Verdict.WA: Outcome.CORRECTNESS_FAILURE,
    Verdict.RE: Outcome.CORRECTNESS_FAILURE,
    Verdict.OLE: Outcome.CORRECTNESS_FAILURE,
    Verdict.ILE: Outcome.CORRECTNESS_FAILURE,
    Verdict.CE: Outcome.CORRECTNESS_FAILURE,
    Verdict.TLE: Outcome.OPTIMIZATION_FAILURE,
    Verdict.MLE: Outcome.OPTIMIZATION_FAILURE,
}


def outcome_of(verdict: Verdict) -> Outcome | None:
    """The outcome that a submission's verdict means; None for IE (retried) and SK."""
    return _OUTCOME.get(verdict)


@dataclass(frozen=True, slots=True)
class Submission:
    """Source text and language: the only thing that the judge sees."""

    source: str
    language: str


@dataclass(frozen=True, slots=True)
class TestResult:
    name: str
    verdict: Verdict
    input_bytes: int
    cpu_s: float = 0.0
    wall_s: float = 0.0
    peak_bytes: int = 0
    message: str = ""  # for a person: exit code, signal, first difference (of samples only)
    cpu_samples: tuple[float, ...] = ()  # every measurement when a near-limit TLE was re-run


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judge's whole answer about one submission.

    verdict: of the first failing test in order of input length, AC when all pass, CE, or IE.
    coverage: k -> R_k for k = 1…6, and "full": all tests with input shorter than 10^k bytes pass.
    A coverage that holds no test at all is vacuously true and listed in `empty_coverages`.
    """

    verdict: Verdict
    tests: tuple[TestResult, ...] = ()
    coverage: Mapping[str, bool] = field(default_factory=dict)
    empty_coverages: tuple[str, ...] = ()
    all_tests: bool = False  # the full vector was asked for
    compile_output: str = ""
    compile_cpu_s: float = 0.0
    time_limit_s: float | None = None  # that applied, the language's factor included
    error: str = ""  # of IE
    any_wrong: Outcome | None = (
        None  # attribution `any_wrong`; None unless the full vector is known
    )
    extra: Mapping[str, object] = field(default_factory=dict)

    @property
    def outcome(self) -> Outcome | None:
        return outcome_of(self.verdict)


def first_failure(tests: Sequence[TestResult]) -> Verdict:
    """The verdict of the first test that did not pass, AC when all did. SK never decides."""
    for test in tests:
        if test.verdict not in (Verdict.AC, Verdict.SK):
            return test.verdict
    return Verdict.AC
