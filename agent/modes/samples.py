"""`run_tests` for an agent: the public samples, or an input of its own, as the judge runs them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from agent.judge.verdict import Judgement, Submission, Verdict
from agent.sandbox import Ended, Limits
from agent.suite.problem import Problem, ProblemKind
from tools.text import cut, readable

if TYPE_CHECKING:
    from agent.judge.judge import Judge


_ENDINGS = {
    Ended.CPU_LIMIT: "time limit",
    Ended.WALL_LIMIT: "time limit",
    Ended.IDLE_LIMIT: "it waited for something that never came",
    Ended.MEMORY_LIMIT: "memory limit",
    Ended.OUTPUT_LIMIT: "output limit",
}


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
            self._problem, Submission(source, language), all_tests=True, in_order=True
        )
        return cut(_table(judgement), limit)

    async def own(self, source: str, language: str, data: bytes, *, limit: int) -> str:
        """What the program prints for this input, with the limits of the problem."""
        if self._problem.kind is not ProblemKind.STDIN:
            return "[own inputs are for programs that read standard input; run the samples]"
        known, given = self._judge.languages.find(language), self._problem.limits
        time_s = given.time_s * known.entry.time_factor
        limits = Limits(
            cpu_s=time_s,
            idle_s=max(3 * time_s, time_s + 2),
            memory_bytes=given.memory_bytes,
            wall_s=60 + 30 * time_s,
            stdout_bytes=given.output_bytes,
        )
        ran = await self._judge.run(Submission(source, language), data, limits)
        if ran.execution is None:
            return cut(f"does not compile:\n{readable(ran.compile_output)}", limit)
        done = ran.execution
        parts = [f"{done.cpu_s:.3f} s CPU, {done.peak_bytes / 2**20:.1f} MiB"]
        if ending := _ENDINGS.get(done.ended):
            parts.append(f"[stopped: {ending}]")
        elif done.signal is not None:
            parts.append(f"[ended by signal {done.signal}]")
        elif done.exit_code:
            parts.append(f"[exit code {done.exit_code}]")
        for name, text in (("output", done.stdout), ("stderr", done.stderr)):
            if text.strip():
                shown = readable(text[: 4 * limit].decode("utf-8", "replace")).rstrip("\n")
                parts.append(f"{name}:\n{cut(shown, limit, dropped=max(0, len(text) - 4 * limit))}")
        return "\n".join(parts)


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
