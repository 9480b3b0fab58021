"""Our own server: flags, finding vLLM, failures at the start, and that nothing outlives us."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.errors import UsageError
from agent.models.registry import Serve
from agent.models.serve import (
    ServerStartError,
    VllmServer,
    chat_template,
    find_vllm,
    server_flags,
)


def test_on_the_cpu_seeds_are_safe() -> None:
    flags = server_flags(Serve(max_model_len=16384), cpu=True, native_context=None)
    assert "--no-enable-chunked-prefill" in flags
    assert "--enforce-eager" in flags
    assert int(flags[flags.index("--max-num-batched-tokens") + 1]) >= 16384
    assert flags[flags.index("--generation-config") + 1] == "vllm"


def test_on_a_gpu_vllm_decides() -> None:
    flags = server_flags(Serve(tensor_parallel_size=4), cpu=False, native_context=131072)
    assert flags == ["--generation-config", "vllm", "--tensor-parallel-size", "4"]


def test_flags_of_the_user_come_last() -> None:
    serve = Serve(tool_call_parser="hermes", chat_template="hermes", flags=("--seed", "3"))
    flags = server_flags(serve, cpu=False, native_context=None)
    assert flags[-2:] == ["--seed", "3"]
    assert "--enable-auto-tool-choice" in flags
    with pytest.raises(UsageError, match="templates that ship: hermes"):
        chat_template("nonesuch")


def test_a_wrong_vllm_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRONTIER_AGENT_VLLM", "/no/such/vllm --x")
    with pytest.raises(UsageError, match="/no/such/vllm"):
        find_vllm()


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """A program in vLLM's place, and a folder in a model's."""
    model = tmp_path / "model"
    model.mkdir()
    (model / "config.json").write_text("{}")

    def make(body: str) -> Path:
        program = tmp_path / "vllm"
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)
        monkeypatch.setenv("FRONTIER_AGENT_VLLM", str(program))
        return model

    return make


async def test_a_server_that_dies_at_once_shows_the_end_of_its_log(
    fake: Callable[[str], Path], said: list[str], say: Callable[[str], None]
) -> None:
    model = fake("echo starting; echo 'CUDA out of memory' >&2; exit 3")
    with pytest.raises(ServerStartError, match=r"ended with code 3; its log is .*\.log"):
        async with VllmServer(model, "m", Serve(), say=say):
            pass
    assert any("| CUDA out of memory" in text for text in said)


async def test_a_server_that_is_never_ready_is_stopped_with_its_children(
    fake: Callable[[str], Path], tmp_path: Path, say: Callable[[str], None]
) -> None:
    pids = tmp_path / "pids"
    model = fake(f"sleep 600 & echo $! $$ > {pids}; wait")
    with pytest.raises(ServerStartError, match="not ready within 1 s"):
        async with VllmServer(model, "m", Serve(ready_timeout_s=1), say=say):
            pass
    for pid in pids.read_text().split():
        assert gone(int(pid))


def test_the_server_ends_when_its_owner_is_killed(
    fake: Callable[[str], Path], tmp_path: Path
) -> None:
    pids = tmp_path / "pids"
    model = fake(f"trap '' TERM; sleep 600 & echo $! $$ > {pids}; while :; do sleep 600; done")
    code = f"""
import asyncio
from pathlib import Path
from agent.models import keeper
from agent.models.registry import Serve
from agent.models.serve import VllmServer
async def main():
    async with VllmServer(Path({str(model)!r}), "m", Serve(), say=print):
        pass
asyncio.run(main())
"""
    environment = {**os.environ, "FRONTIER_AGENT_KEEPER_GRACE_S": "0.5"}
    owner = subprocess.Popen([sys.executable, "-c", code], env=environment)
    wait_for(lambda: pids.exists() and len(pids.read_text().split()) == 2)
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    for pid in pids.read_text().split():
        wait_for(lambda pid=pid: gone(int(pid)))


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def wait_for(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "did not happen in time"
        time.sleep(0.05)
