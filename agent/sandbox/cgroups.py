"""The control group of one sandbox, made by the host: cgroup v1 and v2.

`Group.mounts` are bound into the sandbox, where the supervisor makes a child for every command.
Names hold the owner's process id, so that leftovers of a dead owner can be found.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from agent.sandbox import SandboxError

PREFIX = "frontier-agent-"
_V1 = ("memory", "pids", "cpuacct")
_numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """Where groups can be made: one folder per controller (v2: the same for all)."""

    version: int
    folders: Mapping[str, Path]


@dataclass(frozen=True, slots=True)
class Group:
    version: int
    folders: Mapping[str, Path]

    @property
    def mounts(self) -> Mapping[str, Path]:
        """Name below the supervisor's --cgroup folder ("" is the folder itself) -> host folder."""
        return {"": self.folders["memory"]} if self.version == 2 else self.folders

    def add(self, pid: int) -> None:
        """Moves a process in. On v2 a group with children may hold none itself."""
        inner = "outside" if self.version == 2 else ""
        for folder in set(self.folders.values()):
            (folder / inner / "cgroup.procs").write_text(str(pid))

    def give_to(self, uid: int) -> None:
        """Lets this user (the sandbox's root) make groups below, but not change the limits here."""
        for folder in set(self.folders.values()):
            os.chown(folder, uid, uid)
            for name in ("cgroup.procs", "cgroup.subtree_control", "cgroup.threads"):
                if (folder / name).exists():
                    os.chown(folder / name, uid, uid)

    def remove(self) -> None:
        """Kills what is left and removes the group with its children."""
        for folder in set(self.folders.values()):
            _remove(folder)


@cache
def hierarchy() -> Hierarchy | None:
    """Where this process may make groups, below its own ones where possible; None: nowhere."""
    mounts = _mounts()
    own = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        own.update(dict.fromkeys(names.split(","), path))
    found = {
        name: _below(mounts[name], own[name]) for name in _V1 if name in mounts and name in own
    }
    if len(found) == len(_V1):
        return Hierarchy(1, found) if all(_writable(folder) for folder in found.values()) else None
    if "" not in mounts or "" not in own:
        return None
    here = _below(mounts[""], own[""])
    for folder in (here, *here.parents):
        if not folder.is_relative_to(mounts[""][0]):
            break
        if _writable(folder) and _enable(folder):
            return Hierarchy(2, dict.fromkeys(_V1, folder))
    return None


def make(memory_bytes: int, pids: int) -> Group | None:
    """A new group with limits on everything in it; None where this process has no rights."""
    where = hierarchy()
    if where is None:
        return None
    name = f"{PREFIX}{os.getpid()}-{next(_numbers)}"
    group = Group(where.version, {key: folder / name for key, folder in where.folders.items()})
    try:
        for folder in set(group.folders.values()):
            folder.mkdir()
        memory = group.folders["memory"]
        if where.version == 2:
            (memory / "outside").mkdir()
            (memory / "memory.max").write_text(str(memory_bytes))
            if (memory / "memory.swap.max").exists():
                (memory / "memory.swap.max").write_text("0")
        else:
            (memory / "memory.limit_in_bytes").write_text(str(memory_bytes))
            if (memory / "memory.memsw.limit_in_bytes").exists():
                (memory / "memory.memsw.limit_in_bytes").write_text(str(memory_bytes))
        (group.folders["pids"] / "pids.max").write_text(str(pids))
    except OSError as error:
        group.remove()
        raise SandboxError(f"cannot make a cgroup: {error}") from error
    return group


def leftovers() -> list[Group]:
    """Groups whose owner is dead, wherever in the hierarchies that owner had to make them."""
    where = hierarchy()
    if where is None:
        return []
    mounts = _mounts()
    points = [mounts[name][0] for name in (_V1 if where.version == 1 else ("",))]
    found = {path for point in points for path in point.rglob(PREFIX + "*") if path.is_dir()}
    return [
        Group(where.version, {"memory": path})
        for path in sorted(found)
        if not owner_alive(path.name)
    ]


def owner_alive(name: str) -> bool:
    """Whether the process whose id stands in a name made here still exists.

    True for any other name: what we did not make is not ours to remove.
    """
    pid, dash, _ = name.removeprefix(PREFIX).partition("-")
    return not (dash and pid.isdigit()) or pid_alive(pid)


def pid_alive(pid: str) -> bool:
    return pid.isdigit() and Path(f"/proc/{pid}").exists()


def _mounts() -> dict[str, tuple[Path, str]]:
    """Controller (v2: "") -> (mount point, path in the hierarchy that is mounted there)."""
    found: dict[str, tuple[Path, str]] = {}
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        left, _, right = line.partition(" - ")
        root, point = left.split()[3:5]
        kind, _, options = right.split()[:3]
        if kind == "cgroup2":
            found.setdefault("", (Path(point), root))
        elif kind == "cgroup":
            for option in options.split(","):
                found.setdefault(option, (Path(point), root))
    return found


def _below(mount: tuple[Path, str], own: str) -> Path:
    point, root = mount
    inside = own.removeprefix(root.rstrip("/")) if own.startswith(root.rstrip("/") + "/") else ""
    return point / inside.strip("/")


def _writable(folder: Path) -> bool:
    return os.access(folder, os.W_OK) and os.access(folder / "cgroup.procs", os.W_OK)


def _enable(folder: Path) -> bool:
    """Whether children of a v2 group can have memory and pids limits."""
    control = folder / "cgroup.subtree_control"
    try:
        if not {"memory", "pids"} <= set(control.read_text().split()):
            control.write_text("+memory +pids")
    except OSError:  # no such controllers here, or processes in it (only the root may have both)
        return False
    return True


def _remove(folder: Path) -> None:
    if not folder.exists():
        return
    deadline = time.monotonic() + 10
    while True:
        try:
            for path in sorted(folder.rglob("*/"), reverse=True):
                path.rmdir()
            folder.rmdir()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
        for procs in (folder / "cgroup.procs", *folder.rglob("*/cgroup.procs")):
            with contextlib.suppress(OSError):  # it may go while we read
                for pid in procs.read_text().split():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(int(pid), 9)
        time.sleep(0.005)
