"""One attempt: the loop that all modes share.

Control flow by a few small exceptions: `FormatError` (neither call nor answer), `Submitted` (a
tool recorded a submission), `WorkspaceLost` (the model destroyed its sandbox). What is nobody's
fault but ours (`InfrastructureError`) passes through: the attempt stays owed.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from agent.errors import InfrastructureError
from agent.judge.verdict import Submission
from agent.models import ChatModel, Completion, ContextOverflow, RequestRejected, Sampling
from agent.models.client import AnswerTimeout
from agent.models.prefix import first_difference
from agent.modes import End, Generation
from agent.modes.answer import Split, find_submission, known_languages, split_thoughts
from agent.modes.budget import Budget
from agent.modes.calls import CALLS_PER_TURN, Call, FormatError, read_calls, schemas
from agent.modes.conversation import Conversation
from agent.modes.prompt import render_messages
from agent.modes.registry import Mode, Parts, accepting
from agent.modes.samples import JudgeSamples, sample_files
from agent.modes.workspace import AttemptWorkspace, WorkspaceLost
from agent.suite.problem import Problem
from tools import BadArguments, Submitted

if TYPE_CHECKING:
    from agent.judge.judge import Judge
    from agent.sandbox.pool import SandboxPool

_TEARDOWN_S = 30.0
_SHORT_RESULT = 200  # characters that stay of a result when the context is full
_log = logging.getLogger(__name__)

_LAST_CALL = (
    "Your budget is used up ({reason}). Reply now with your final program in one fenced code"
    " block{submit}; other tool calls are not executed any more."
)


async def attempt(
    problem: Problem,
    mode: Mode,
    model: ChatModel,
    *,
    seed: int,
    languages: Sequence[str],
    sampling: Sampling,
    workspaces: SandboxPool | None = None,
    judge: Judge | None = None,
) -> Generation:
    """Lets the model work on the problem until it submits or a limit ends it.

    Raises InfrastructureError when the harness, a sandbox or the server failed: nothing was
    decided, and the attempt stays owed. Ends within `limits.wall_s` plus a bounded teardown.
    """
    workspace = AttemptWorkspace(workspaces, sample_files(problem))
    try:
        work = _Attempt(problem, mode, model, seed, tuple(languages), sampling, workspace, judge)
        deadline = asyncio.timeout(mode.limits.wall_s)
        try:
            async with deadline:
                end = await work.converse()
        except TimeoutError:
            if not deadline.expired():
                raise
            end = End.TIME
        return work.generation(end)
    finally:
        await _close(workspace)


class _Attempt:
    """The state of one attempt: conversation, budget, last submission."""

    def __init__(
        self,
        problem: Problem,
        mode: Mode,
        model: ChatModel,
        seed: int,
        languages: tuple[str, ...],
        sampling: Sampling,
        workspace: AttemptWorkspace,
        judge: Judge | None,
    ) -> None:
        self.mode, self.model, self.seed, self.languages = mode, model, seed, languages
        self.sampling, self.workspace = sampling, workspace
        samples = JudgeSamples(judge, problem) if judge is not None else None
        tools = mode.tools(Parts(workspace, samples, accepting(languages)))
        self.tools = {tool.name: tool for tool in tools}
        self.budget = Budget(mode.limits, sampling, model.context_tokens)
        self.talk = Conversation(
            model,
            mode.form_for(model),
            render_messages(problem, mode, model, languages, sampling),
            schemas(tools),
            self.budget,
        )
        self.submission: Submission | None = None
        self.calls_made = 0
        self.previous: Completion | None = None
        self.broken_prefix: int | None = None  # token at which a prompt left its predecessor

    async def converse(self) -> End:
        """Asks, executes calls, until an answer or a limit. Returns why it stopped."""
        errors = 0
        while True:
            if (limit := self.budget.over()) is not None:
                return await self._last_call(limit)
            try:
                completion, split, max_tokens = await self._ask()
            except ContextOverflow:
                return await self._last_call(End.CONTEXT_FULL)
            except AnswerTimeout:  # longer than the working time that was left
                return End.TIME
            except RequestRejected as error:
                return self._rejected(error)
            try:
                calls = self._read(completion, split, max_tokens)
                if not calls:
                    return self._answered(completion, split)
                useful = await self._use(calls)
            except FormatError as error:
                errors += 1
                if errors >= self.mode.limits.format_errors or self.mode.limits.turns == 1:
                    return error.end
                self.talk.tell(f"{error}\n{self.budget.remaining()}", why=error.end)
            except WorkspaceLost:
                return End.SANDBOX_DESTROYED
            else:
                errors = 0 if useful else errors + 1
                if errors >= self.mode.limits.format_errors:
                    return End.FORMAT

    async def _ask(self, *, last: bool = False) -> tuple[Completion, Split, int]:
        max_tokens = self.budget.turn_tokens(last=last)
        sampling = replace(self.sampling, max_tokens=max_tokens)
        completion = await self.talk.ask(sampling, seed=self.seed)
        if self.previous is not None and self.broken_prefix is None:
            self.broken_prefix = first_difference(self.previous, completion)
        self.previous = completion
        if completion.reasoning:  # the server has split the thoughts off
            open_ended = not completion.content.strip() and not completion.tool_calls
            split = Split(completion.reasoning, completion.content, open_ended)
        else:
            split = split_thoughts(completion.content, self.model.style)
        return completion, split, max_tokens

    def _read(self, completion: Completion, split: Split, max_tokens: int) -> list[Call]:
        """The calls of the model's message, which becomes part of the conversation."""
        calls: list[Call] = []
        try:
            if self.tools:
                names = tuple(self.tools)
                calls = read_calls(self.talk.form, completion, split.answer, names)
        finally:
            self.talk.answered(completion, calls, max_tokens=max_tokens, thoughts=split.thoughts)
        return calls

    def _answered(self, completion: Completion, split: Split) -> End:
        """A message without calls ends the attempt: by an earlier `submit`, else by its code."""
        if self.submission is not None:
            return End.SUBMITTED
        found = find_submission(split.answer, self.languages, known_languages())
        if found is not None:
            self._submit(found, by="answer")
            return End.SUBMITTED
        if split.open:
            raise FormatError(
                "Your message ended inside your thoughts, without an answer.",
                End.TRUNCATED_IN_REASONING,
            )
        if completion.finish_reason == "length":
            raise FormatError(
                "Your message was cut off at its token limit before it held a complete program.",
                End.TRUNCATED,
            )
        call = " nor a tool call" if self.tools else ""
        raise FormatError(
            "Your message holds no complete fenced code block in an accepted language"
            f" ({', '.join(self.languages)}){call}.",
            End.NO_CODE,
        )

    async def _use(self, calls: Sequence[Call]) -> bool:
        """Executes the calls in order; whether at least one was well-formed."""
        results: list[tuple[Call, str]] = []
        seconds: list[float] = []
        for index, call in enumerate(calls):
            began = time.monotonic()
            if index >= CALLS_PER_TURN:
                call = replace(call, error=f"Not run: at most {CALLS_PER_TURN} calls a turn.")
            call, text = await self._execute(call)
            results.append((call, text))
            seconds.append(time.monotonic() - began)
        self.talk.results(results, seconds)
        return any(not call.error for call, _ in results)

    async def _execute(self, call: Call) -> tuple[Call, str]:
        if call.error:
            return call, f"[error] {call.error}"
        self.calls_made += 1
        waited = self.workspace.waited_s
        try:
            return call, await self.tools[call.name].call(call.arguments)
        except BadArguments as error:
            return replace(call, error=str(error), kind="arguments"), f"[error] {error}"
        except Submitted as done:
            self._submit(Submission(done.source, done.language), by=call.name)
            size = len(done.source.encode("utf-8", "replace"))
            return call, (
                f"[submitted: {size:,} bytes, {done.language}; reply without a tool call to finish,"
                " or submit again]"
            )
        finally:
            self.budget.waited_s += self.workspace.waited_s - waited

    def _submit(self, submission: Submission, *, by: str) -> None:
        self.submission = submission
        self.talk.record(
            "submission", by=by, language=submission.language, source=submission.source
        )

    async def _last_call(self, limit: End) -> End:
        """A limit is reached: the last submission counts; with none, one last answer is asked for.

        Of its calls only `submit` is executed. Without a usable answer the limit is the end.
        """
        allowed = self.budget.turns > 0 and self.mode.limits.turns > 1 and limit is not End.TIME
        if self.submission is not None or not allowed:
            return limit
        submit = " or call submit" if "submit" in self.tools else ""
        self.talk.tell(
            _LAST_CALL.format(reason=limit.replace("_", " "), submit=submit), why="last call"
        )
        if limit is End.CONTEXT_FULL:
            self.talk.shorten_last(_SHORT_RESULT)
        with contextlib.suppress(
            ContextOverflow, RequestRejected, AnswerTimeout, FormatError, WorkspaceLost
        ):
            completion, split, max_tokens = await self._ask(last=True)
            calls = self._read(completion, split, max_tokens)
            submits = [call for call in calls if call.name == "submit"]
            if submits:
                await self._use(submits)
            elif not calls:
                self._answered(completion, split)
        return limit

    def _rejected(self, error: RequestRejected) -> End:
        """Our own prompt refused is a wrong set-up; later it is what the model wrote."""
        if self.budget.turns == 0:
            raise InfrastructureError(f"the server refused the request: {error}") from error
        self.talk.record("note", messages=[], why="rejected", error=str(error))
        return End.REJECTED

    def generation(self, end: End) -> Generation:
        """What the attempt left. With a submission it counts as submitted, whatever stopped it."""
        self.talk.record("end", end=End.SUBMITTED if self.submission else end, stopped_by=end)
        budget = self.budget
        notes: dict[str, object] = {"stopped_by": str(end), "tool_form": self.talk.form}
        if self.broken_prefix is not None:
            notes["prompt_changed_at_token"] = self.broken_prefix
        return Generation(
            end=End.SUBMITTED if self.submission is not None else end,
            submission=self.submission,
            transcript=tuple(self.talk.transcript),
            prompt_tokens=budget.prompt_tokens,
            completion_tokens=budget.completion_tokens,
            reasoning_tokens=budget.reasoning_tokens,
            turns=budget.turns,
            tool_calls=self.calls_made,
            wall_s=budget.wall_s,
            working_s=budget.working_s,
            seed=self.seed,
            notes=notes,
        )


async def _close(workspace: AttemptWorkspace) -> None:
    """Gives the sandbox back, but waits for that no longer than it may take."""
    try:
        async with asyncio.timeout(_TEARDOWN_S):
            await workspace.close()
    except (TimeoutError, InfrastructureError) as error:
        _log.warning("a workspace could not be given back: %s", error)
