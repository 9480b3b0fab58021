"""Reading errors and answers of servers in the wild."""

from __future__ import annotations

import pytest

from agent.models import ContextOverflow, RequestRejected
from agent.models.replicas import admitted, read_gauges
from agent.models.wire import TooLarge, Transient, error_of, read_completion, retry_after_s


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("3", 3.0),
        ("0.25", 0.25),
        ("-5", 0.0),
        ("Thu, 01 Jan 1970 00:01:40 GMT", 90.0),
        ("soon", None),
    ],
)
def test_retry_after(value: str | None, seconds: float | None) -> None:
    assert retry_after_s(value, now=10.0) == seconds


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 2048 tokens. However, your prompt contains at"
        " least 2049 input tokens.",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "The input exceeds the model's maximum context length",
        "Your input exceeds the context window of this model.",
    ],
)
def test_overflows(message: str) -> None:
    assert isinstance(error_of(400, {"error": {"message": message}}, None, 0), ContextOverflow)


def test_overflow_by_parameter_name() -> None:
    body = {"error": {"message": "?", "param": "input_tokens"}}
    assert isinstance(error_of(400, body, None, 0), ContextOverflow)


def test_a_sum_that_does_not_fit_tells_what_would() -> None:
    message = (
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens"
        " (1000 in the messages, 4000 in the completion)."
    )
    error = error_of(400, {"error": {"message": message}}, None, 0)
    assert isinstance(error, TooLarge)
    assert error.max_tokens == 3096


def test_an_error_page_is_cut_to_one_short_line() -> None:
    error = error_of(403, "<html>\n" * 500, None, 0)
    assert isinstance(error, RequestRejected)
    assert len(str(error)) < 600
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    "body",
    [[], "text", {}, {"choices": []}, {"error": {"message": "overloaded"}}],
)
def test_a_body_without_an_answer_is_transient(body: object) -> None:
    with pytest.raises(Transient):
        read_completion(body)


def test_both_names_of_the_thoughts_and_lists_of_parts() -> None:
    for key in ("reasoning", "reasoning_content"):
        message = {"content": [{"type": "text", "text": "a"}, {"text": "b"}], key: "hm"}
        answer = read_completion({"choices": [{"message": message}]})
        assert (answer.content, answer.reasoning) == ("ab", "hm")
    assert read_completion({"choices": [{"message": {"content": None}}]}).content == ""


def test_gauges_of_all_engines_are_added() -> None:
    text = (
        "# HELP vllm:num_requests_running x\n"
        'vllm:num_requests_running{engine="0",model_name="m"} 3.0\n'
        'vllm:num_requests_running{engine="1",model_name="m"} 4.0\n'
        'vllm:num_requests_waiting{engine="0",model_name="m"} 2.0\n'
        'vllm:num_requests_waiting_by_reason{engine="0",reason="capacity"} 9.0\n'
    )
    assert read_gauges(text) == (7, 2)
    assert read_gauges("process_open_fds 3\n") is None


def test_admission() -> None:
    assert admitted(32, (0, 0), (32, 0), most=100) == 64  # nothing waits: twice as many
    assert admitted(64, (0, 0), (64, 0), most=100) == 100
    assert admitted(64, (2, 0), (3, 61), most=100) == 64  # a burst that has just arrived
    assert admitted(64, (14, 50), (16, 48), most=100) == 18  # full
    assert admitted(18, (16, 2), (16, 2), most=100) == 18
    assert admitted(4, (0, 9), (0, 9), most=100) == 2
