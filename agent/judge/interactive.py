"""Interactive problems: submission and validator, each in a sandbox, their streams relayed by us.

Neither can block the other for good: each direction is a task of its own, the supervisor always
drains what a program writes, and both programs are timed. When the validator rejects before the
submission has ended, that decides, whatever the submission does afterwards.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace

from agent.judge.checkers import LIMITS, CheckerProgram
from agent.judge.compare import Comparison
from agent.judge.decide import ended_well
from agent.sandbox import Command, Ended, Execution, Process, Sandbox
from agent.suite.problem import Test

_TALK_BYTES = 256 << 20  # that a validator may say in all
_PATIENCE_S = 4.0  # more idle time for a submission that waits for the validator
_VALIDATOR_IDLE_S = 30.0  # more than the submission's, which it may have to wait for


async def interact(
    sandbox: Sandbox,
    command: Command,
    checker: CheckerProgram,
    test: Test,
    time_s: float,
) -> tuple[Execution, Comparison | None]:
    """Runs both to their end. Raises CheckerError when the validator failed.

    The comparison is None when the submission's own end decides. A rejection that came first is
    told as an execution that ended well, so that it decides.
    """
    given, answer, feedback = await checker.lay_out(test)
    limits = replace(command.limits, idle_s=command.limits.idle_s + _PATIENCE_S)
    command = replace(command, limits=limits)
    validator = await checker.sandbox.start(
        _validator(checker, test, given, answer, feedback, command)
    )
    submission: Process | None = None
    relays: list[asyncio.Task[None]] = []
    try:
        submission = await sandbox.start(command)
        relays = [
            asyncio.ensure_future(_relay(validator, submission)),
            asyncio.ensure_future(_relay(submission, validator)),
        ]
        waits = [asyncio.ensure_future(p.wait()) for p in (submission, validator)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            rejected_first = False
            if waits[1].done() and not waits[0].done():
                rejected_first = not (await checker.decision(waits[1].result(), feedback)).right
                if rejected_first:
                    await submission.kill()
            execution, judged = await asyncio.gather(*waits)
        finally:
            for task in waits:
                task.cancel()
    finally:
        for relay in relays:
            relay.cancel()
        await asyncio.gather(*relays, return_exceptions=True)
        await asyncio.gather(
            *(p.kill() for p in (submission, validator) if p is not None), return_exceptions=True
        )
    if rejected_first:
        execution = replace(execution, ended=Ended.EXITED, exit_code=0, signal=None)
        execution = replace(execution, cpu_s=min(execution.cpu_s, time_s))
        return execution, await checker.decision(judged, feedback)
    if not ended_well(execution, time_s):
        return execution, None
    return execution, await checker.decision(judged, feedback)


def _validator(
    checker: CheckerProgram, test: Test, given: str, answer: str, feedback: str, command: Command
) -> Command:
    limits = replace(
        LIMITS,
        idle_s=command.limits.idle_s + command.limits.wall_s + _VALIDATOR_IDLE_S,
        wall_s=command.limits.wall_s + LIMITS.wall_s,
        stdout_bytes=_TALK_BYTES,
        kill_on_stdout_limit=True,
    )
    argv = checker.argv(test, given, answer, feedback)
    return Command(argv, limits, env=checker.language.env)


async def _relay(source: Process, target: Process) -> None:
    """Carries bytes until the source has ended, then closes the target's stdin."""
    with contextlib.suppress(BrokenPipeError):
        while data := await source.read():
            await target.write(data)
        await target.close_stdin()
    while await source.read():  # what nobody takes any more is still drained
        pass
