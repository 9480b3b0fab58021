"""Chooses a backend."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from agent.errors import UsageError
from agent.sandbox import Backend, SandboxError

CHOICES = ("auto", "docker", "bubblewrap")


def _silent(_: str) -> None:
    pass


async def open_backend(
    choice: str = "auto", *, say: Callable[[str], None] = _silent, runtime: str | None = None
) -> Backend:
    """Opens `choice`; "auto" is docker when a daemon answers and the images are there or can be
    built, else bubblewrap. `say` is told in one line which. runtime: Docker's (such as "runsc").

    Raises UsageError for an unknown choice, SandboxError when the chosen one does not work here.
    """
    if choice not in CHOICES:
        raise UsageError(f"unknown sandbox {choice!r}: one of {', '.join(CHOICES)}")
    why = "chosen"
    if choice in ("auto", "docker"):
        from agent.sandbox.docker import DockerBackend

        try:
            backend = await DockerBackend.open(runtime=runtime, say=say)
        except SandboxError as error:
            if choice == "docker":
                raise
            why = str(error)
        else:
            say(f"sandbox: docker ({backend.version})")
            return backend
    from agent.sandbox.bubblewrap import BubblewrapBackend, bwrap

    await asyncio.to_thread(bwrap)
    bubblewrap = BubblewrapBackend()
    say(f"sandbox: bubblewrap, {bubblewrap.accounting} accounting ({why})")
    return bubblewrap
