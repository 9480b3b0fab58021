"""`run_tests` for an agent: the public samples, or an input of its own, as the judge runs them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from agent.judge.verdict import Judgement, Submission, Verdict
from agent.suite.problem import Problem
from tools.text import cut, readable

if TYPE_CHECKING:
    from agent.judge.judge import Judge


def sample_files(problem: Problem) -> dict[str, bytes]:
    """The public samples as they lie in a workspace; nothing else of a problem's tests does."""
    files: dict[str, bytes] = {}
    for number, test in enumerate(problem.samples, 1):
        files[f"samples/{number}.in"] = test.input.read()
        files[f"samples/{number}.ans"] = test.answer.read()
    return files


class JudgeSamples:
    """`tools.run_tests.SampleRunner` on the judge."""

    def __init__(self, judge: Judge, problem: Problem) -> None:
        self._judge = judge
        # Only the samples: hidden tests cannot leak from what does not hold them.
        self._problem = replace(problem, tests=problem.samples, references=())

    async def samples(self, source: str, language: str, *, limit: int) -> str:
        """Verdict, time and memory of every public sample."""
        if not self._problem.tests:
            return "[this problem has no public samples; give an input of your own]"
        judgement = await self._judge.judge(
            self._problem, Submission(source, language), all_tests=True
        )
        return cut(_table(judgement), limit)

    async def own(self, source: str, language: str, data: bytes, *, limit: int) -> str:
        """What the program prints for this input."""
        raise NotImplementedError


def _table(judgement: Judgement) -> str:
    if judgement.verdict is Verdict.CE:
        return f"does not compile:\n{readable(judgement.compile_output)}"
    lines = []
    for number, test in enumerate(judgement.tests, 1):
        line = (
            f"sample {number}: {test.verdict}, {test.cpu_s:.3f} s CPU,"
            f" {test.peak_bytes / 2**20:.1f} MiB"
        )
        if test.verdict is not Verdict.AC and test.message:
            line += f"\n  {readable(test.message)}"
        lines.append(line)
    return "\n".join(lines)
