"""What is killed, frozen, removed or slow from outside: an error in bounded time, nothing left."""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable
from pathlib import Path

import pytest

from agent.sandbox import (
    Backend,
    Command,
    Limits,
    Sandbox,
    SandboxError,
    docker,
    images,
    supervised,
)
from agent.sandbox.bubblewrap import BubblewrapBackend
from agent.sandbox.docker import DockerBackend
from agent.sandbox.pool import SandboxPool
from agent.shipped import cache_folder
from tests.sandbox.conftest import SPEC

LONG = Limits(cpu_s=900, idle_s=900, memory_bytes=64 << 20, wall_s=900)
SLEEP = Command(("sleep", "4243"), LONG)
ROOT = Path(__file__).resolve().parents[2]


def descendants(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [one for child in children for one in (int(child), *descendants(int(child)))]


def holder(sandbox: Sandbox) -> tuple[int, int]:
    """Process ids on the host of what holds the sandbox, and of its supervisor."""
    held = sandbox._on_close.__self__  # type: ignore[attr-defined]
    if sandbox.info.backend == "docker":
        held._container.reload()
        pid = int(held._container.attrs["State"]["Pid"])
        return pid, pid
    return held._process.pid, descendants(held._process.pid)[0]


async def fails(work: Awaitable[object], within_s: float) -> str:
    start = time.monotonic()
    with pytest.raises(SandboxError) as caught:
        await asyncio.wait_for(work, within_s + 20)
    assert time.monotonic() - start < within_s
    return str(caught.value)


async def test_killed_in_the_middle(backend: Backend) -> None:
    """SIGKILL ends every wait at once, and the pool goes on with another sandbox."""
    async with SandboxPool(backend, SPEC, 1) as pool:
        async with pool.lease() as sandbox:
            streamed = await sandbox.start(Command(("cat",), LONG, fresh=False))
            running = asyncio.create_task(
                sandbox.run(Command(("sleep", "4243"), LONG, fresh=False))
            )
            await streamed.write(b"x")
            assert await streamed.read() == b"x"
            _, pid = holder(sandbox)
            os.kill(pid, signal.SIGKILL)
            await fails(running, 5)
            await fails(streamed.read(), 5)
            await fails(streamed.wait(), 5)
            await fails(sandbox.put({"a": b""}), 5)
            assert sandbox.broken
        async with pool.lease() as other:
            assert other is not sandbox
            assert (await other.run(Command(("/bin/cat",), LONG, stdin=b"y"))).stdout == b"y"
        await gone(pid)


async def test_bwrap_killed_in_the_middle() -> None:
    """It only waits for the supervisor, which goes on and is removed as always."""
    sandbox = await BubblewrapBackend().start(SPEC)
    bwrap, supervisor = holder(sandbox)
    os.kill(bwrap, signal.SIGKILL)
    assert (await sandbox.run(Command(("/bin/cat",), LONG, stdin=b"y"))).stdout == b"y"
    await sandbox.start(SLEEP)
    await sandbox.close()
    await gone(supervisor)


async def test_frozen_in_the_middle(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    """A supervisor that stops answering is found out while its commands may still run long."""
    monkeypatch.setattr(supervised, "_BEAT_S", 0.3)
    sandbox = await backend.start(SPEC)
    running = asyncio.create_task(sandbox.run(SLEEP))
    await asyncio.sleep(3)
    assert not running.done(), "a quiet program is not a silent supervisor"
    _, pid = holder(sandbox)
    if backend.name == "docker":
        sandbox._on_close.__self__._container.pause()  # type: ignore[attr-defined]
    else:
        os.kill(pid, signal.SIGSTOP)
    try:
        assert "not answered" in await fails(running, 8)
        await asyncio.wait_for(sandbox.close(), 30)
        await gone(pid)
    finally:
        if Path(f"/proc/{pid}").exists() and backend.name == "bubblewrap":
            os.kill(pid, signal.SIGKILL)


async def test_a_supervisor_that_forgets_the_wall_limit(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervised, "_GRACE_S", -899.0)
    process = await sandbox.start(SLEEP)
    assert "did not end" in await fails(process.read(), 5)
    await fails(process.wait(), 5)


async def gone(pid: int) -> None:
    for _ in range(100):
        path = Path(f"/proc/{pid}/stat")
        try:
            if path.read_text().rpartition(")")[2].split()[0] == "Z":
                return
        except OSError:
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"{pid} is still there")


@pytest.mark.docker
async def test_an_image_that_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    backend = await open_docker()

    async def removed(_: str) -> str:
        return "frontier-agent/judge:0000000000000000"

    monkeypatch.setattr(backend, "_image", removed)
    async with SandboxPool(backend, SPEC, 1) as pool:
        assert "No such image" in await fails(pool.lease().__aenter__(), 10)
    await backend.close()


async def open_docker() -> DockerBackend:
    try:
        return await DockerBackend.open()
    except SandboxError as error:
        pytest.skip(f"docker is not here: {error}")


class SlowDaemon:
    """Between us and the daemon's socket; passes all on until `stuck`."""

    def __init__(self) -> None:
        self.stuck = False

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_unix_connection("/var/run/docker.sock")

        async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
            while data := await source.read(65536):
                while self.stuck:
                    await asyncio.sleep(0.05)
                sink.write(data)
                await sink.drain()
            sink.close()

        await asyncio.gather(pump(reader, back), pump(there, writer), return_exceptions=True)


@pytest.mark.docker
async def test_a_daemon_that_does_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not Path("/var/run/docker.sock").exists():
        pytest.skip("docker is not here")
    slow = SlowDaemon()
    server = await asyncio.start_unix_server(slow.serve, tmp_path / "socket")
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path / 'socket'}")
    monkeypatch.setattr(docker, "_API_S", 2)
    monkeypatch.setattr(supervised, "_BEAT_S", 0.3)
    backend = await open_docker()
    sandbox = await backend.start(SPEC)
    running = asyncio.create_task(sandbox.run(SLEEP))
    await asyncio.sleep(0.5)
    slow.stuck = True
    assert "not answered" in await fails(running, 8)
    assert "timed out" in (await fails(backend.start(SPEC), 8)).lower()
    await asyncio.wait_for(sandbox.close(), 8)
    assert "no Docker daemon" in await fails(DockerBackend.open(), 8)
    slow.stuck = False
    async with SandboxPool(backend, SPEC, 1) as pool, pool.lease() as again:
        assert (await again.run(Command(("/bin/cat",), LONG, stdin=b"y"))).stdout == b"y"
    await backend.close()
    server.close()


class Nothing:
    """A daemon's client without any image."""

    class images:
        @staticmethod
        def list(name: str) -> list[str]:
            return []


def test_waiting_for_another_build_is_told_and_can_be_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FRONTIER_AGENT_CACHE", str(tmp_path))
    said: list[str] = []
    until = time.monotonic() + 0.5
    with (cache_folder("images") / "lock").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(SandboxError, match="another process is still building"):
            images.build(
                Nothing(),  # type: ignore[arg-type]
                "judge",
                said.append,
                stopped=lambda: time.monotonic() > until,
            )
    assert said == ["images: waiting for another process that builds images"]


OWNER = """
import asyncio
from agent.sandbox import *
from agent.sandbox.backends import open_backend
async def main():
    backend = await open_backend({name!r})
    sandbox = await backend.start(SandboxSpec(owner="dead"))
    process = await sandbox.start(Command(("sleep", "4243"), Limits(999, 999, 64 << 20)))
    held = sandbox._on_close.__self__
    print(held._container.id if {name!r} == "docker" else held._process.pid, flush=True)
    await process.wait()
asyncio.run(main())
"""


async def test_clean_removes_what_a_killed_owner_left_frozen(backend: Backend) -> None:
    """Frozen sandboxes cannot see that their owner is dead: the reaper has to."""
    owner = await asyncio.to_thread(
        subprocess.Popen,
        [sys.executable, "-c", OWNER.format(name=backend.name)],
        stdout=subprocess.PIPE,
        cwd=ROOT,
        text=True,
    )
    assert owner.stdout is not None
    held = (await asyncio.to_thread(owner.stdout.readline)).strip()
    if backend.name == "docker":
        client = docker.connect()
        container = client.containers.get(held)
        pid = int(container.attrs["State"]["Pid"])
        container.pause()
        client.close()
    else:
        pid = descendants(int(held))[0]
        os.kill(pid, signal.SIGSTOP)
    owner.kill()
    owner.wait()
    owner.stdout.close()
    first, second = [await agent_clean() for _ in range(2)]
    assert any(held[:12] in line or f"-{owner.pid}-" in line for line in first), first
    assert [line for line in second if f"-{owner.pid}-" in line] == []
    await gone(pid)


async def agent_clean() -> list[str]:
    command = [sys.executable, "-m", "agent.cli.main", "clean"]
    done = await asyncio.to_thread(
        subprocess.run, command, cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()
