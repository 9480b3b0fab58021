"""The Docker backend: one container per sandbox, the supervisor its PID 1.

The frames travel over the container's attached stdin and stdout; no `docker run` or `docker exec`
happens per command.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from agent.sandbox import Sandbox, SandboxError, SandboxInfo, SandboxSpec, images, supervisor_build
from agent.sandbox.protocol import Hello
from agent.sandbox.supervised import SupervisedSandbox

LABEL = "frontier-agent.sandbox"
OWNER_LABEL = "frontier-agent.owner"
PID_LABEL = "frontier-agent.pid"
HOST_LABEL = "frontier-agent.host"  # the process id means something there only
_API_S = 60  # for one call of the Docker API
_SUPERVISOR_BYTES = 256 << 20
# The supervisor's: mounts and namespaces; becoming the programs' user; ending their processes.
_CAPABILITIES = ["SYS_ADMIN", "SYS_CHROOT", "SETUID", "SETGID", "SETPCAP", "KILL"]
_numbers = itertools.count()

POLLED_NOTE = (
    "The container may not make control groups: memory is sampled every 10 ms, CPU time has a step "
    "of 10 ms, and only the container's own limits on memory and processes are enforced."
)


def host() -> str:
    """Identifies this boot of this machine, seen from this PID namespace."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return f"{boot}:{os.readlink('/proc/self/ns/pid')}"


def connect() -> Any:
    """A client of the daemon that the environment names. Raises SandboxError when none answers."""
    import docker

    with _daemon("no Docker daemon answers"):
        client = docker.from_env(timeout=_API_S)
        client.ping()
        return client


@contextlib.contextmanager
def _daemon(trouble: str) -> Iterator[None]:
    """Turns what goes wrong with the daemon, an answer that does not come included, into ours."""
    try:
        yield
    except SandboxError:
        raise
    except Exception as error:  # docker-py raises errors of several libraries
        raise SandboxError(f"{trouble}: {' '.join(str(error).split())[:300]}") from error


class DockerBackend:
    """Implements `agent.sandbox.Backend`."""

    name = "docker"

    def __init__(self, client: Any, runtime: str | None, say: Callable[[str], None]) -> None:
        self._client = client
        self._runtime = runtime
        self._say = say
        self._building = asyncio.Lock()
        with _daemon("the Docker daemon does not say what it is"):
            security = " ".join(client.info().get("SecurityOptions") or ())
            self.version = str(client.version()["Version"])
        self._mapped = "name=rootless" in security or "name=userns" in security

    @classmethod
    async def open(
        cls, *, runtime: str | None = None, say: Callable[[str], None] = lambda _: None
    ) -> DockerBackend:
        """Connects to the daemon and sees to the judge's image.

        runtime: such as "runsc", else `FRONTIER_AGENT_RUNTIME`. Raises SandboxError.
        """
        runtime = runtime or os.environ.get("FRONTIER_AGENT_RUNTIME") or None
        backend = await asyncio.to_thread(lambda: cls(connect(), runtime, say))
        try:
            await backend._image("judge")
        except BaseException:
            await backend.close()
            raise
        return backend

    async def start(self, spec: SandboxSpec) -> Sandbox:
        image = await self._image(spec.image)
        holder = await asyncio.to_thread(
            _Holder, self._client, spec, image, self._runtime, self._uid()
        )
        try:
            sandbox = SupervisedSandbox(spec, holder.describe, holder.close, holder.strip)
            await sandbox.connect(holder.take_socket())
        except BaseException as error:
            said = await asyncio.to_thread(holder.said)
            await holder.close()
            if isinstance(error, SandboxError) and said:
                raise SandboxError(f"{error} ({said})") from None
            raise
        return sandbox

    async def close(self) -> None:
        await asyncio.to_thread(self._client.close)

    def _uid(self) -> int:
        """Of the programs: one that nobody else on the machine has, where it is the host's."""
        return 1000 if self._mapped else random.randrange(1 << 30, 1 << 31)

    async def _image(self, name: str) -> str:
        stopped = threading.Event()  # the thread may wait for another process's build
        async with self._building:
            try:
                with _daemon(f"the image {name} cannot be found"):
                    return await asyncio.to_thread(
                        images.build, self._client, name, self._say, stopped=stopped.is_set
                    )
            finally:
                stopped.set()


class _Holder:
    """The container of one sandbox and the stream to it. Blocking: made in a thread."""

    def __init__(
        self, client: Any, spec: SandboxSpec, image: str, runtime: str | None, uid: int
    ) -> None:
        self._pending = bytearray()
        self._stderr = bytearray()
        self._runtime = runtime
        inside = ["--disk", str(spec.disk_bytes), "--uid", str(uid)]
        # gVisor has no control groups that a container could divide.
        inside += [] if runtime == "runsc" else ["--cgroup", "/sys/fs/cgroup"]
        inside += ["--debug"] if spec.image == "workspace" else []
        self._container: Any = None
        try:
            with _daemon("the container does not start"):
                self._create(client, spec, image, inside)
        except BaseException:
            self._remove()
            raise

    def _create(self, client: Any, spec: SandboxSpec, image: str, inside: list[str]) -> None:
        memory = spec.memory_bytes + spec.disk_bytes + _SUPERVISOR_BYTES
        self._container = client.containers.create(
            image,
            inside,
            name=f"frontier-agent-{os.getpid()}-{os.urandom(4).hex()}-{next(_numbers)}",
            labels={
                LABEL: "1",
                OWNER_LABEL: spec.owner,
                PID_LABEL: str(os.getpid()),
                HOST_LABEL: host(),
            },
            auto_remove=True,
            stdin_open=True,
            network_mode="none",
            read_only=True,
            cap_drop=["ALL"],
            cap_add=_CAPABILITIES,
            # Docker's own profile denies mounts to the supervisor on AppArmor hosts.
            security_opt=["no-new-privileges:true", "apparmor=unconfined"],
            ipc_mode="private",
            mem_limit=memory,
            memswap_limit=memory,
            pids_limit=spec.pids + 32,
            cpuset_cpus=None if spec.cpu is None else str(spec.cpu),
            ulimits=_ulimits(),
            log_config={"type": "none"},
            runtime=self._runtime,
        )
        self._image = str(self._container.image.id)
        attached = self._container.attach_socket(
            params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
        )
        self._attached = attached
        self._socket: socket.socket = attached._sock
        self._container.start()

    def take_socket(self) -> socket.socket:
        self._socket.settimeout(None)
        self._socket.setblocking(False)
        return self._socket

    def strip(self, data: bytes) -> bytes:
        """Takes Docker's framing off: u8 stream, 3 bytes, u32 big-endian length, content."""
        self._pending += data
        stdout = []
        at = 0
        while len(self._pending) - at >= 8:
            length = int.from_bytes(self._pending[at + 4 : at + 8], "big")
            if len(self._pending) - at < 8 + length:
                break
            content = bytes(self._pending[at + 8 : at + 8 + length])
            if self._pending[at] == 1:
                stdout.append(content)
            else:
                self._stderr = (self._stderr + content)[-4096:]
            at += 8 + length
        del self._pending[:at]
        return b"".join(stdout)

    def said(self) -> str:
        return " ".join(self._stderr.decode(errors="replace").split())

    def describe(self, hello: Hello) -> SandboxInfo:
        return SandboxInfo(
            backend="docker",
            accounting="cgroup" if hello.cgroup else "polled",
            supervisor=supervisor_build.digest(),
            image=self._image,
            notes=() if hello.cgroup else (POLLED_NOTE,),
        )

    async def close(self) -> None:
        await asyncio.to_thread(self._remove)

    def _remove(self) -> None:
        """Does not fail: what a daemon in trouble keeps is for the reaper."""
        from docker.errors import APIError, NotFound
        from requests import RequestException

        if self._container is None:
            return
        for _ in range(3):
            try:
                self._container.remove(force=True)
                return
            except NotFound:
                return
            except APIError:  # auto-remove is at it
                time.sleep(0.2)
            except RequestException:  # no answer in time: another try would wait as long
                return


def _ulimits() -> list[Any]:
    from docker.types import Ulimit

    return [
        Ulimit(name="stack", soft=-1, hard=-1),
        Ulimit(name="core", soft=0, hard=0),
        Ulimit(name="nofile", soft=4096, hard=4096),
    ]
