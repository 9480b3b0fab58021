"""Removes what dead owners left: containers, control groups, temporary folders.

A sandbox dies with its owner by itself (its supervisor sees the end of its input). What may stay
after a SIGKILL is an emptied group or folder, and a container whose daemon was restarted.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import tempfile
from pathlib import Path

from agent.sandbox import SandboxError, cgroups


async def clean() -> list[str]:
    """Removes the leftovers of owners that are no longer alive on this machine; says what."""
    return await asyncio.to_thread(_clean)


def _clean() -> list[str]:
    return [*_containers(), *_groups(), *_folders()]


def _containers() -> list[str]:
    from agent.sandbox import docker as backend

    try:
        client = backend.connect()
    except SandboxError:
        return []
    from docker.errors import APIError, NotFound

    removed = []
    try:
        for container in client.containers.list(all=True, filters={"label": backend.LABEL}):
            labels = container.labels
            if labels.get(backend.HOST_LABEL) != backend.host() or cgroups.pid_alive(
                labels.get(backend.PID_LABEL, "")
            ):
                continue
            try:
                container.remove(force=True)
            except (NotFound, APIError):  # auto-remove was faster
                continue
            removed.append(f"container {container.name}")
    finally:
        client.close()
    return removed


def _groups() -> list[str]:
    removed = []
    for group in cgroups.leftovers():
        with contextlib.suppress(OSError):  # a process in it that cannot be killed
            group.remove()
            removed.append(f"cgroup {group.folders['memory']}")
    return removed


def _folders() -> list[str]:
    removed = []
    for path in Path(tempfile.gettempdir()).glob(f"{cgroups.PREFIX}*"):
        if path.is_dir() and not path.is_symlink() and not cgroups.owner_alive(path.name):
            shutil.rmtree(path, ignore_errors=True)
            if not path.exists():
                removed.append(f"folder {path}")
    return removed
