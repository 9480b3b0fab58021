"""Finds the folders that ship with the package: `sandbox_images/` and `tasks/`."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def folder(name: str) -> Path:
    """The folder `name` ("tasks", "sandbox_images"): the installed wheel's, else the checkout's."""
    installed = _PACKAGE / "_shipped" / name
    return installed if installed.is_dir() else _PACKAGE.parent / name


def cache_folder(name: str) -> Path:
    """A folder for derived files that may be deleted at any time; made when missing.

    `FRONTIER_AGENT_CACHE`, else `$XDG_CACHE_HOME/frontier-agent`, else `~/.cache/frontier-agent`.
    """
    import os

    root = os.environ.get("FRONTIER_AGENT_CACHE")
    if root is None:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        path = Path(base) / "frontier-agent" / name
    else:
        path = Path(root) / name
    path.mkdir(parents=True, exist_ok=True)
    return path
