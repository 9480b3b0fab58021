"""What a sandbox costs per test, as a ratio to a bare fork and exec; printed, never asserted."""

from __future__ import annotations

import asyncio
import os
import resource
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from agent.sandbox import Backend, Command, Limits, Sandbox
from tests.sandbox.conftest import SPEC, open_or_skip

LIMITS = Limits(cpu_s=2, idle_s=5, memory_bytes=256 << 20)
SOURCE = b'#include <cstdio>\nint main(){int a,b;if(scanf("%d%d",&a,&b)==2)printf("%d\\n",a+b);}\n'
SCRIPT = "print(sum(map(int, input().split())))"
ROUNDS, COUNT = 5, 60


class Group:
    """CPU of everything in a cpuacct group; without cgroup v1 the bench skips."""

    def __init__(self) -> None:
        root = Path("/sys/fs/cgroup/cpuacct")
        if os.geteuid() != 0 or not (root / "cpuacct.usage").is_file():
            pytest.skip("needs root and cpuacct of cgroup v1")
        self.files = [root / "cpuacct.usage"]

    def ns(self) -> int:
        return sum(int(file.read_text()) for file in self.files)


def own_cpu() -> float:
    return sum(
        use.ru_utime + use.ru_stime
        for use in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def bare(binary: list[str], count: int) -> float:
    """CPU seconds per test of posix_spawn, pipes as a judge has them, and wait."""
    start = own_cpu()
    for number in range(count):
        done = subprocess.run(binary, input=b"1 %d\n" % number, capture_output=True)
        assert done.stdout == b"%d\n" % (number + 1)
    return (own_cpu() - start) / count


def sandbox_cpu(sandbox: Sandbox) -> float:
    """CPU seconds so far of the sandbox and all in it, and of us."""
    holder = sandbox._on_close.__self__  # type: ignore[attr-defined]
    if sandbox.info.backend == "docker":
        folder = Path("/sys/fs/cgroup/cpuacct/docker") / holder._container.id
    else:
        folder = holder._group.folders["cpuacct"]
    return int((folder / "cpuacct.usage").read_text()) / 1e9 + own_cpu()


async def sandboxed(sandbox: Sandbox, argv: tuple[str, ...], count: int) -> float:
    start = sandbox_cpu(sandbox)
    for number in range(count):
        done = await sandbox.run(
            Command(argv, LIMITS, stdin=b"1 %d\n" % number, readonly_work=True)
        )
        assert done.stdout == b"%d\n" % (number + 1)
    return (sandbox_cpu(sandbox) - start) / count


@pytest.mark.bench
@pytest.mark.parametrize("name", ["bubblewrap", pytest.param("docker", marks=pytest.mark.docker)])
async def test_cost_per_test(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Group()
    backend: Backend = await open_or_skip(name)
    sandbox = await backend.start(SPEC)
    (tmp_path / "a.cpp").write_bytes(SOURCE)
    binary = tmp_path / "a"
    compiler = ["g++", "-O2", "-o", binary, tmp_path / "a.cpp"]
    await asyncio.to_thread(subprocess.run, compiler, check=True)
    await sandbox.put({"a": binary.read_bytes()}, executable=True)
    try:
        for title, plain, inside in (
            ("C++", [str(binary)], ("./a",)),
            (
                "Python",
                [shutil.which("python3", path="/usr/bin") or "python3", "-c", SCRIPT],
                ("python3", "-c", SCRIPT),
            ),
        ):
            pairs = []
            for _ in range(ROUNDS):  # interleaved, so that load hits both
                start = time.monotonic()
                one = bare(plain, COUNT)
                pairs.append(
                    (await sandboxed(sandbox, inside, COUNT), one, time.monotonic() - start)
                )
            ours, theirs = (sorted(pair[k] for pair in pairs)[ROUNDS // 2] for k in (0, 1))
            with capsys.disabled():
                print(
                    f"\n{name} {title}: {ours * 1e3:.2f} ms CPU per test, bare subprocess "
                    f"{theirs * 1e3:.2f} ms, ratio {ours / theirs:.2f}"
                )
    finally:
        await sandbox.close()
        await backend.close()
