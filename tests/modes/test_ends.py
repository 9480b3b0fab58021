"""How attempts end when a model or a limit misbehaves; no sandbox is needed for these."""

from __future__ import annotations

import asyncio

import pytest

from agent.errors import InfrastructureError, UsageError
from agent.models import ChatStyle, Sampling
from agent.models.script import Reply
from agent.modes import End
from agent.modes.prompt import environment
from agent.modes.registry import MODES, load_mode
from agent.modes.replay import conversation
from agent.modes.show import Described, first_request
from tests.modes.conftest import GOOD, Room, answer_of, call, calls, results


@pytest.mark.parametrize(
    ("reply", "end"),
    [
        (Reply(answer_of(GOOD)), End.SUBMITTED),
        (Reply(""), End.NO_CODE),
        (Reply("garbage \x00\x1b\ud7ff \u202e" * 50), End.NO_CODE),
        (Reply("x" * 10_000_000, completion_tokens=10), End.TRUNCATED),
        (Reply(answer_of(GOOD), reasoning="short"), End.SUBMITTED),
        (Reply("", reasoning="hm " * 50_000), End.TRUNCATED_IN_REASONING),
        (Reply("<think>" + answer_of(GOOD)), End.TRUNCATED_IN_REASONING),
        (Reply("<think>" + answer_of(GOOD) + "</think>sorry"), End.NO_CODE),
        (Reply("```python\n" + "x = 1\n" * 9000), End.TRUNCATED),
        (calls(call("python", code="1")), End.NO_CODE),  # there are no tools in this mode
    ],
)
async def test_one_answer(plain: Room, reply: Reply, end: End) -> None:
    done = await plain.attempt("reasoning", [reply])
    assert done.end is end
    assert (done.submission is not None) == (end is End.SUBMITTED)
    assert done.turns == 1
    assert done.transcript[-1]["type"] == "end"


async def test_a_template_that_opens_the_thoughts(plain: Room) -> None:
    style = ChatStyle(thoughts_opened=True)
    done = await plain.attempt("reasoning", [Reply(answer_of(GOOD))], style=style)
    assert done.end is End.TRUNCATED_IN_REASONING


@pytest.mark.parametrize(
    ("replies", "end"),
    [
        ([calls(call("nothing"))], End.FORMAT),
        ([calls(("python", '{"code": 1'))], End.FORMAT),
        ([calls(call("python", cod="1"))], End.FORMAT),
        ([calls(call("python", code="1"), finish_reason="length")], End.FORMAT),
        ([Reply("hello")], End.NO_CODE),
        ([Reply("")], End.NO_CODE),
        ([calls(call("nothing")), Reply(answer_of(GOOD))], End.SUBMITTED),
    ],
)
async def test_three_malformed_messages_in_a_row(
    plain: Room, replies: list[Reply], end: End
) -> None:
    done = await plain.attempt("tool_use", replies)
    assert done.end is end
    assert done.turns == (2 if end is End.SUBMITTED else 3)


async def test_wrong_arguments_are_named(plain: Room) -> None:
    done = await plain.attempt("tool_use", [calls(call("python", cod="1"))])
    assert "no argument 'cod'" in results(done)[0]
    assert "'code' is missing" in results(done)[0]


async def test_a_budget_that_ends_asks_once_for_the_answer(plain: Room) -> None:
    replies = [calls(call("nothing")), calls(call("nothing")), Reply(answer_of(GOOD))]
    done = await plain.attempt("tool_use", replies, turns=2)
    assert done.end is End.SUBMITTED
    assert done.notes["stopped_by"] == End.TURNS
    assert "budget is used up (turn limit)" in plain.requests[-1]["messages"][-1]["content"]
    done = await plain.attempt("tool_use", [calls(call("nothing"))], turns=2)
    assert done.end is End.TURNS
    assert done.turns == 3


async def test_tokens_are_clamped_and_counted(plain: Room) -> None:
    replies = [calls(call("nothing"), completion_tokens=500)]
    done = await plain.attempt(
        "tool_use", replies, tokens=1200, reserve_tokens=300, format_errors=9
    )
    assert done.end is End.TOKENS
    assert [r["max_tokens"] for r in plain.requests] == [900, 400, 200]


async def test_a_prompt_that_does_not_fit(plain: Room) -> None:
    done = await plain.attempt("reasoning", [Reply("x")], script={"max_model_len": 100})
    assert done.end is End.CONTEXT_FULL
    assert done.submission is None


async def test_a_wall_limit_ends_a_hanging_attempt(plain: Room) -> None:
    began = asyncio.get_running_loop().time()
    done = await plain.attempt("reasoning", [Reply(fault="hang")], wall_s=0.5)
    assert done.end is End.TIME
    assert asyncio.get_running_loop().time() - began < 5


@pytest.mark.parametrize("reply", [Reply(status=500), Reply(status=400), Reply(fault="reset")])
async def test_a_failing_server_is_never_the_models_fault(plain: Room, reply: Reply) -> None:
    with pytest.raises(InfrastructureError):
        await plain.attempt("reasoning", [reply])


async def test_a_mode_with_tools_but_no_sandbox_is_our_fault(plain: Room) -> None:
    with pytest.raises(InfrastructureError):
        await plain.attempt("tool_use", [calls(call("python", code="1"))])


@pytest.mark.parametrize("form", ["native", "xml", "fenced"])
async def test_the_transcript_replays_the_last_request(plain: Room, form: str) -> None:
    replies = [calls(call("nothing")), Reply("what?"), Reply(answer_of(GOOD))]
    done = await plain.attempt("tool_use", replies, tool_form=form)
    assert conversation(done.transcript)[:-1] == plain.requests[-1]["messages"]
    assert done.notes["tool_form"] == form
    assert ("tools" in plain.requests[0]) == (form == "native")


async def test_every_request_carries_the_seed_and_all_sampling(plain: Room) -> None:
    sampling = Sampling(temperature=0.3, top_p=0.9, max_tokens=77)
    await plain.attempt("reasoning", [Reply("")], sampling=sampling)
    sent = plain.requests[0]
    assert (sent["temperature"], sent["top_p"], sent["max_tokens"]) == (0.3, 0.9, 77)
    assert sent["seed"] == 7
    assert "stop" not in sent


def test_the_statement_is_the_same_in_all_modes_and_only_a_paragraph_differs(plain: Room) -> None:
    model = Described("m")
    texts = [
        first_request(plain.problem, load_mode(name), model, ("python",), Sampling())["messages"][
            0
        ]["content"]
        for name in MODES
    ]
    for text in texts:
        assert plain.problem.statement in text
        assert text.split("\n\n")[:2] == texts[0].split("\n\n")[:2]
        assert text.partition("# Sum of two")[2] == texts[0].partition("# Sum of two")[2]
    assert len(set(texts)) == 3


def test_prompts_name_only_tools_that_exist(plain: Room) -> None:
    for name in MODES:
        mode = load_mode(name)
        request = first_request(plain.problem, mode, Described("m"), ("python",), Sampling())
        text = request["messages"][0]["content"]
        for tool in ("python", "bash", "view", "create", "edit", "run_tests", "submit"):
            assert (f"- `{tool}`:" in text) == (tool in mode.tool_names)


def test_identity_changes_with_what_can_change_an_attempt() -> None:
    def hashed(settings: dict[str, object], **sampling: object) -> str:
        mode = load_mode("tool_use", settings)
        return mode.identity(sampling=sampling, languages=("python",)).hash

    seen = {
        hashed({}),
        hashed({"turns": 3}),
        hashed({"variant": "session"}),
        hashed({}, temperature=0.5),
        hashed({"tool_s": 3.0}),
    }
    assert len(seen) == 5
    assert hashed({}) in seen


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("agentik", {}, "did you mean 'agentic'"),
        ("agentic", {"turn": 3}, "did you mean 'turns'"),
        ("agentic", {"turns": "many"}, "whole number"),
        ("agentic", {"turns": 0}, "at least 1"),
        ("agentic", {"variant": "session"}, "unknown setting 'variant'"),
        ("tool_use", {"variant": "sesion"}, "did you mean 'session'"),
        ("tool_use", {"tool_form": "json"}, "native, xml, fenced"),
        ("reasoning", {"turns": 4}, "always 1"),
    ],
)
def test_wrong_names_and_values(name: str, settings: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        load_mode(name, settings)


def test_templates_are_strict() -> None:
    from jinja2 import UndefinedError

    with pytest.raises(UndefinedError):
        environment().from_string("{{ nothing }}").render({})
