"""The Docker backend: one container per sandbox, spoken to over its attached stdin and stdout."""

from __future__ import annotations

from collections.abc import Callable

from agent.sandbox import Sandbox, SandboxError, SandboxSpec


class DockerBackend:
    """Implements `agent.sandbox.Backend`."""

    name = "docker"
    version = ""

    @classmethod
    async def open(cls, *, runtime: str | None, say: Callable[[str], None]) -> DockerBackend:
        raise SandboxError("the docker backend is not built yet")

    async def start(self, spec: SandboxSpec) -> Sandbox:
        raise SandboxError("the docker backend is not built yet")

    async def close(self) -> None:
        pass
