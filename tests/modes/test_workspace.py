"""A sandbox that dies under a tool: whose fault it was decides what becomes of the attempt."""

from __future__ import annotations

import pytest

from agent.errors import InfrastructureError
from agent.modes.workspace import AttemptWorkspace, WorkspaceLost
from agent.sandbox import Backend, SandboxError, SandboxSpec
from agent.sandbox.pool import SandboxPool


async def test_a_lost_sandbox_is_the_models_doing_when_a_new_one_works(backend: Backend) -> None:
    async with SandboxPool(backend, SandboxSpec(image="workspace", owner="tests"), 1) as pool:
        workspace = AttemptWorkspace(pool)
        sandbox = await workspace._leased()
        await sandbox.close()  # as if it had been destroyed from within
        with pytest.raises(WorkspaceLost):
            await workspace.run(("true",))
        await workspace.close()


async def test_it_is_ours_when_no_other_works(backend: Backend) -> None:
    class Dead:
        name = "dead"

        async def start(self, spec: SandboxSpec) -> object:
            if started:
                raise SandboxError("no more sandboxes")
            started.append(True)
            return await backend.start(spec)

        async def close(self) -> None:
            pass

    started: list[bool] = []
    spec = SandboxSpec(image="workspace", owner="tests")
    async with SandboxPool(Dead(), spec, 1) as pool:  # type: ignore[arg-type]
        workspace = AttemptWorkspace(pool)
        await (await workspace._leased()).close()
        with pytest.raises(InfrastructureError, match="no more sandboxes"):
            await workspace.run(("true",))
        await workspace.close()


async def test_paths_stay_below_work(backend: Backend) -> None:
    async with SandboxPool(backend, SandboxSpec(image="workspace", owner="tests"), 1) as pool:
        workspace = AttemptWorkspace(pool)
        await workspace.write("/work/deep/er/a.txt", b"x")
        assert await workspace.read("deep/er/a.txt") == b"x"
        for path in ("/etc/passwd", "../etc/passwd", "deep/../../x", "/work", "a\0b"):
            with pytest.raises(ValueError, match=r"below /work|NUL"):
                await workspace.read(path)
        await workspace.run(("ln", "-s", "/etc/passwd", "link"))
        with pytest.raises(ValueError, match="link"):
            await workspace.read("link")
        with pytest.raises(FileNotFoundError):
            await workspace.read("absent")
        await workspace.close()
