"""Finds the supervisor's binary: compiled once per version of its source, with the host's gcc."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import threading
from functools import cache
from pathlib import Path

from agent.sandbox import SandboxError
from agent.shipped import cache_folder

SOURCE = Path(__file__).resolve().parent / "supervisor"
_FLAGS = ("-std=gnu11", "-O2", "-Wall", "-Wextra")


@cache
def digest() -> str:
    """Identifies the supervisor's source; recorded with every run."""
    sha = hashlib.sha256(" ".join(_FLAGS).encode())
    for path in sorted(SOURCE.glob("*.[ch]")):
        sha.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return sha.hexdigest()[:16]


@cache
def binary() -> Path:
    """The binary for this machine. Raises SandboxError when there is no C compiler."""
    path = cache_folder("supervisor") / f"supervisor-{digest()}-{platform.machine()}"
    if path.is_file():
        return path
    compiler = os.environ.get("CC") or shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise SandboxError("the sandbox's supervisor must be compiled: install gcc")
    fresh = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
    sources = [str(source) for source in sorted(SOURCE.glob("*.c"))]
    errors = ""
    for how in (["-static"], []):  # static libraries may be missing
        command = [compiler, *_FLAGS, *how, "-o", str(fresh), *sources]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise SandboxError(f"the sandbox's supervisor does not compile: {error}") from error
        if done.returncode == 0:
            fresh.chmod(0o755)
            fresh.replace(path)
            return path
        errors = done.stderr
    raise SandboxError(f"the sandbox's supervisor does not compile: {errors.strip()[-400:]}")
