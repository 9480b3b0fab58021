"""The growing conversation of one attempt and its record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agent.models import ChatModel, Completion, Message, Sampling, ToolSchema
from agent.modes.budget import Budget
from agent.modes.calls import Call, assistant_message, result_messages


class Conversation:
    """Messages as the server gets them, and the transcript: everything needed to replay them.

    Transcript entries have a `type`: "prompt", "answer", "results", "note", "submission", "end";
    those that add to the conversation hold the added `messages` verbatim. See docs/modes.md.
    """

    def __init__(
        self,
        model: ChatModel,
        form: str,
        prompt: Sequence[Message],
        tools: Sequence[ToolSchema],
        budget: Budget,
    ) -> None:
        self.model, self.form, self.budget = model, form, budget
        self.messages: list[Message] = list(prompt)
        self.transcript: list[Mapping[str, Any]] = []
        self._tools = tuple(tools) if form == "native" else ()
        self.record("prompt", messages=list(prompt), tools=list(self._tools), form=form)

    def record(self, kind: str, **values: Any) -> None:
        """One entry, with the turn and the seconds since the attempt began."""
        at = round(self.budget.wall_s, 3)
        self.transcript.append({"type": kind, "turn": self.budget.turns, "at_s": at, **values})

    async def ask(self, sampling: Sampling, *, seed: int) -> Completion:
        """One answer of the model, counted and recorded; not yet part of the conversation."""
        completion = await self.model.complete(
            self.messages,
            sampling=sampling,
            seed=seed,
            tools=self._tools,
            timeout_s=max(1.0, self.budget.working_left_s),
        )
        self.budget.count(completion.usage, completion.queue_s)
        return completion

    def answered(
        self, completion: Completion, calls: Sequence[Call], *, max_tokens: int, thoughts: str
    ) -> None:
        """The model's message becomes part of the conversation."""
        message = assistant_message(self.form, completion, calls)
        self.messages.append(message)
        usage = completion.usage
        self.record(
            "answer",
            messages=[message],
            thoughts=completion.reasoning or thoughts,
            tool_calls=[
                {"id": c.id, "name": c.name, "arguments": c.arguments}
                for c in completion.tool_calls
            ],
            finish_reason=completion.finish_reason,
            max_tokens=max_tokens,
            usage={
                "prompt_tokens": usage.prompt_tokens,
                "completion_tokens": usage.completion_tokens,
                "reasoning_tokens": usage.reasoning_tokens,
            },
            latency_s=round(completion.latency_s, 4),
            queue_s=round(completion.queue_s, 4),
            retries=completion.retries,
            **({"raw": dict(completion.raw)} if completion.raw else {}),
        )

    def results(self, results: Sequence[tuple[Call, str]], seconds: Sequence[float]) -> None:
        """Tool results become part of the conversation; each ends with the remaining budget."""
        told = [(call, f"{text}\n{self.budget.remaining()}") for call, text in results]
        messages = result_messages(self.form, told)
        self.messages.extend(messages)
        self.record(
            "results",
            messages=messages,
            calls=[
                {
                    "id": call.id,
                    "name": call.name,
                    "arguments": dict(call.arguments),
                    "error": call.kind,
                    "result": text,
                    "wall_s": round(wall_s, 4),
                }
                for (call, text), wall_s in zip(results, seconds, strict=True)
            ],
        )

    def tell(self, text: str, *, why: str) -> None:
        """A message of the harness to the model."""
        message = {"role": "user", "content": text}
        self.messages.append(message)
        self.record("note", messages=[message], why=why)

    def shorten_last(self, limit: int) -> bool:
        """Cuts the messages behind the model's last one, so that one more answer fits.

        Returns whether there was anything to cut.
        """
        shortened = False
        for index in range(len(self.messages) - 1, -1, -1):
            message = self.messages[index]
            if message["role"] == "assistant":
                break
            if index and len(message["content"]) > limit:
                text = f"[cut, because the context is full] {message['content'][-limit:]}"
                self.messages[index] = {**message, "content": text}
                shortened = True
        if shortened:
            self.record("note", messages=[], why="results shortened", limit=limit)
        return shortened
