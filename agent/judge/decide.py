"""From what was measured to a verdict. Pure functions."""

from __future__ import annotations

import signal
from collections.abc import Sequence

from agent.judge.compare import Comparison
from agent.judge.verdict import Outcome, TestResult, Verdict, outcome_of
from agent.sandbox import Ended, Execution

COVERAGES = (1, 2, 3, 4, 5, 6)
_CORRECTNESS = (Verdict.WA, Verdict.RE, Verdict.OLE, Verdict.ILE, Verdict.CE)


def verdict_of(execution: Execution, comparison: Comparison | None, time_s: float) -> Verdict:
    """The verdict of one test, from the supervisor's measurements and the comparison alone.

    The first event counts: passing the time limit comes before whatever ended the program later.
    A program that we lost, that starved for want of a core, or whose output nobody could compare
    (`comparison` None) gives IE. time_s: the limit in CPU seconds of the whole process tree.
    """
    if execution.ended in (Ended.WALL_LIMIT, Ended.KILLED):
        return Verdict.IE
    if execution.ended is Ended.CPU_LIMIT or execution.cpu_s > time_s:
        return Verdict.TLE
    if execution.ended is Ended.MEMORY_LIMIT:
        return Verdict.MLE
    if execution.ended is Ended.OUTPUT_LIMIT:
        return Verdict.OLE
    if execution.ended is Ended.IDLE_LIMIT:
        return Verdict.ILE
    if execution.ended is Ended.SIGNALED:
        return Verdict.OLE if execution.signal == signal.SIGXFSZ else Verdict.RE
    if execution.exit_code != 0:
        return Verdict.RE
    if comparison is None:
        return Verdict.IE
    return Verdict.AC if comparison.right else Verdict.WA


def ended_well(execution: Execution, time_s: float) -> bool:
    """Only then does the output decide."""
    return (
        execution.ended is Ended.EXITED and execution.exit_code == 0 and execution.cpu_s <= time_s
    )


def how_it_ended(execution: Execution) -> str:
    """For a person: exit code, signal or limit."""
    match execution.ended:
        case Ended.EXITED if execution.exit_code:
            return f"exit code {execution.exit_code}"
        case Ended.EXITED:
            return ""
        case Ended.SIGNALED:
            try:
                return f"killed by {signal.Signals(execution.signal or 0).name}"
            except ValueError:
                return f"killed by signal {execution.signal}"
        case Ended.OUTPUT_LIMIT:
            return f"stopped after {execution.stdout_bytes} bytes of output"
        case Ended.IDLE_LIMIT:
            return f"idle: {execution.wall_s:.1f} s passed with {execution.cpu_s:.2f} s of work"
        case Ended.WALL_LIMIT:
            return f"starved: waited {execution.wait_s:.1f} of {execution.wall_s:.1f} s for a core"
        case other:
            return other.value.replace("_", " ")


def coverage(
    tests: Sequence[TestResult],
) -> tuple[dict[str, bool], tuple[str, ...]]:
    """R_k for k = 1…6 and "full", and the names of the coverages that hold no test.

    Tests in order of input length. A test that was not run (SK) has not passed; since a test is
    only left out after a failing one with an input at most as long, stopping early decides all R_k.
    """
    passed: dict[str, bool] = {}
    empty = []
    for name, limit in [*((str(k), 10**k) for k in COVERAGES), ("full", None)]:
        inside = [t for t in tests if limit is None or t.input_bytes < limit]
        passed[name] = all(t.verdict is Verdict.AC for t in inside)
        if not inside:
            empty.append(name)
    return passed, tuple(empty)


def any_wrong(tests: Sequence[TestResult]) -> Outcome | None:
    """The attribution `any_wrong`; None unless every test was run."""
    verdicts = {test.verdict for test in tests}
    if not verdicts or verdicts & {Verdict.SK, Verdict.IE}:
        return None
    if verdicts == {Verdict.AC}:
        return Outcome.SOLVED
    wrong = any(verdict in verdicts for verdict in _CORRECTNESS)
    return Outcome.CORRECTNESS_FAILURE if wrong else outcome_of(Verdict.TLE)
