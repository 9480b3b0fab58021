"""Real sandboxes on every backend that this machine has, under an outer cap made by the tests."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from agent.sandbox import Backend, Sandbox, SandboxError, SandboxSpec
from agent.sandbox.bubblewrap import BubblewrapBackend
from agent.sandbox.docker import DockerBackend

SPEC = SandboxSpec(memory_bytes=512 << 20, disk_bytes=256 << 20, owner="tests")
BACKENDS = [
    pytest.param("bubblewrap", id="bubblewrap"),
    pytest.param("docker", id="docker", marks=pytest.mark.docker),
]


@pytest.fixture(scope="session", autouse=True)
def outer_cap() -> Iterator[None]:
    """Whatever goes wrong in here stops at 800 processes and 8 GiB, sandboxes of bwrap included.

    (A container's cap is Docker's own, on the container.)
    """
    folders = [
        Path("/sys/fs/cgroup") / name / f"sandbox-tests-{os.getpid()}"
        for name in ("memory", "pids")
    ]
    if os.geteuid() != 0 or not all(folder.parent.is_dir() for folder in folders):
        yield  # cgroup v2 or no root: the container that runs the tests is the cap
        return
    from agent.sandbox import cgroups

    before = [_own_group(folder.parent) for folder in folders]
    for folder in folders:
        folder.mkdir()
    (folders[0] / "memory.limit_in_bytes").write_text(str(8 << 30))
    (folders[1] / "pids.max").write_text("800")
    for folder in folders:
        (folder / "cgroup.procs").write_text(str(os.getpid()))
    cgroups.hierarchy.cache_clear()
    yield
    cgroups.hierarchy.cache_clear()
    for folder, home in zip(folders, before, strict=True):
        (home / "cgroup.procs").write_text(str(os.getpid()))
        folder.rmdir()


def _own_group(mount: Path) -> Path:
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        if mount.name in names.split(","):
            return mount / path.lstrip("/")
    return mount


async def open_or_skip(name: str) -> Backend:
    try:
        if name == "docker":
            return await DockerBackend.open()
        return BubblewrapBackend()
    except SandboxError as error:
        pytest.skip(f"{name} is not here: {error}")


@pytest_asyncio.fixture(params=BACKENDS)
async def backend(request: pytest.FixtureRequest) -> AsyncIterator[Backend]:
    opened = await open_or_skip(request.param)
    yield opened
    await opened.close()


@pytest_asyncio.fixture
async def sandbox(backend: Backend) -> AsyncIterator[Sandbox]:
    started = await backend.start(SPEC)
    yield started
    await started.close()
