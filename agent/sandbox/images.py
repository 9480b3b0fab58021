"""Docker images from `sandbox_images/`: named by a digest of what goes in, built when missing.

Where no registry can be reached the base is made with mmdebstrap from the host's package sources.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING

from agent.sandbox import SandboxError
from agent.sandbox.supervisor_build import SOURCE
from agent.shipped import cache_folder, folder

if TYPE_CHECKING:
    import docker

NAMES = ("judge", "workspace")
REPOSITORY = "frontier-agent"
LABEL = "frontier-agent.image"
DIGEST_LABEL = "frontier-agent.digest"
_SUITE = "bookworm"
_LOCAL_BASE = f"{REPOSITORY}/base:{_SUITE}"
_PUBLIC_BASE = f"debian:{_SUITE}-slim"
_DEBIAN = "http://deb.debian.org"
_BUILD_S = 3600

Say = Callable[[str], None]


def digest(name: str) -> str:
    """Identifies the Dockerfile and the supervisor's source that make an image."""
    sha = hashlib.sha256()
    for path in _context(name):
        sha.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return sha.hexdigest()[:16]


def tag(name: str) -> str:
    """The image's name; another Dockerfile or supervisor makes another tag."""
    if name not in NAMES:
        raise SandboxError(f"no image {name!r}: one of {', '.join(NAMES)}")
    return f"{REPOSITORY}/{name}:{digest(name)}"


def present(client: docker.DockerClient, name: str) -> bool:
    """Whether the image is there and made from what the checkout holds now."""
    return bool(client.images.list(name=tag(name)))


def build(
    client: docker.DockerClient,
    name: str,
    say: Say,
    *,
    again: bool = False,
    stopped: Callable[[], bool] = lambda: False,
) -> str:
    """Builds an image unless it is there; returns its tag. Raises SandboxError with the reason.

    stopped: asked while another process builds; when true, its end is not waited for.
    Other versions of the image stay: another checkout, or a run under way, may need them.
    """
    wanted = tag(name)
    if present(client, name) and not again:
        return wanted
    with (cache_folder("images") / "lock").open("w") as lock:
        _wait_for(lock, say, stopped)
        if not present(client, name) or again:
            _build(client, name, say, again)
    return wanted


def _wait_for(lock: IO[str], say: Say, stopped: Callable[[], bool]) -> None:
    """Takes the lock that makes builds on this machine come one after the other."""
    deadline = time.monotonic() + _BUILD_S
    told = False
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if stopped() or time.monotonic() > deadline:
                raise SandboxError("images: another process is still building") from None
        if not told:
            say("images: waiting for another process that builds images")
            told = True
        time.sleep(0.1)


def _build(client: docker.DockerClient, name: str, say: Say, again: bool) -> None:
    wanted = tag(name)
    base = _base(client, say)
    say(f"images: building {wanted} from {base} (minutes, once)")
    with tempfile.TemporaryDirectory() as context:
        _copy_context(name, Path(context))
        command = ["docker", "build", "--quiet", "--network", "host", "--tag", wanted]
        command += ["--build-arg", f"BASE={base}"]
        command += ["--label", f"{LABEL}={name}", "--label", f"{DIGEST_LABEL}={digest(name)}"]
        command += ["--no-cache"] if again else []
        _call([*command, context], f"the image {name} does not build")


def _context(name: str) -> list[Path]:
    return [folder("sandbox_images") / name / "Dockerfile", *sorted(SOURCE.glob("*.[ch]"))]


def _copy_context(name: str, where: Path) -> None:
    (where / "supervisor").mkdir()
    for path in _context(name):
        shutil.copy(path, where / ("" if path.name == "Dockerfile" else "supervisor"))


def _base(client: docker.DockerClient, say: Say) -> str:
    """A Debian image: `FRONTIER_AGENT_BASE`, else one that is here, pulled, or made."""
    if chosen := os.environ.get("FRONTIER_AGENT_BASE"):
        return chosen
    for name in (_PUBLIC_BASE, _LOCAL_BASE):
        if client.images.list(name=name):
            return name
    try:
        client.images.pull("debian", tag=f"{_SUITE}-slim")
        return _PUBLIC_BASE
    except Exception as error:  # docker-py raises errors of several libraries
        say(f"images: cannot pull {_PUBLIC_BASE} ({_short(error)}); making a base with mmdebstrap")
    if not shutil.which("mmdebstrap"):
        raise SandboxError(f"{_PUBLIC_BASE} cannot be pulled; apt-get install mmdebstrap makes one")
    with tempfile.TemporaryDirectory() as temporary:
        archive = Path(temporary) / "base.tar"
        command = ["mmdebstrap", "--quiet", "--variant=minbase", "--include=ca-certificates"]
        command += [f"--aptopt={line}" for line in _apt_options()]
        _call([*command, _SUITE, str(archive), *_apt_sources()], "mmdebstrap makes no base")
        _call(["docker", "import", str(archive), _LOCAL_BASE], "the base cannot be imported")
    return _LOCAL_BASE


def _apt_sources() -> list[str]:
    """The host's Debian sources when it runs the same release, else the public ones."""
    release = Path("/etc/os-release")
    if release.is_file() and f"VERSION_CODENAME={_SUITE}" in release.read_text():
        for path in ("/etc/apt/sources.list.d/debian.sources", "/etc/apt/sources.list"):
            if Path(path).is_file() and Path(path).stat().st_size:
                return [path]
    return [
        f"deb {_DEBIAN}/debian {_SUITE} main",
        f"deb {_DEBIAN}/debian {_SUITE}-updates main",
        f"deb {_DEBIAN}/debian-security {_SUITE}-security main",
    ]


def _apt_options() -> list[str]:
    """How the host reaches its package sources (proxies and the like)."""
    if not shutil.which("apt-config"):
        return []
    done = subprocess.run(["apt-config", "dump"], capture_output=True, text=True, timeout=60)
    wanted = ("Acquire::http", "Acquire::Check-")
    return [
        line for line in done.stdout.splitlines() if line.startswith(wanted) and '""' not in line
    ]


def _call(command: list[str], trouble: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_BUILD_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SandboxError(f"{trouble}: {_short(error)}") from error
    if done.returncode:
        raise SandboxError(f"{trouble}: {' '.join((done.stderr or done.stdout).split())[-500:]}")


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:160]
