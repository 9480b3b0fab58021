"""What this machine has, and what to do about what it has not."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import platform
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One part: `state` is "ok", "weaker" (works with fewer guarantees) or "absent"."""

    part: str
    state: str
    detail: str
    advice: str = ""


def examine() -> list[Finding]:
    """Looks at every part; needs a few seconds and changes nothing."""
    checks: tuple[Callable[[], list[Finding]], ...] = (
        _machine,
        _python,
        _compilers,
        _sandboxes,
        _vllm,
        _gpu,
        _extras,
    )
    return [finding for check in checks for finding in check()]


def as_json(findings: list[Finding]) -> list[dict[str, str]]:
    return [asdict(finding) for finding in findings]


def _machine() -> list[Finding]:
    cores = len(os.sched_getaffinity(0))
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return [
        Finding("machine", "ok", f"{platform.platform()}, {cores} cores, {pages / 2**30:.0f} GiB")
    ]


def _python() -> list[Finding]:
    return [Finding("python", "ok", platform.python_version())]


def _compilers() -> list[Finding]:
    found = []
    for name, why in (("g++", "C++ submissions"), ("gcc", "the supervisor on this host")):
        path = shutil.which(name)
        if path is None:
            advice = f"needed in the bubblewrap sandbox for {why}: apt-get install {name}"
            found.append(Finding(name, "absent", "not on PATH", advice))
        else:
            version = _first_line([path, "--version"])
            found.append(Finding(name, "ok", version))
    pypy = shutil.which("pypy3")
    if pypy is None:
        found.append(
            Finding("pypy3", "absent", "not on PATH", "optional: apt-get install pypy3 (or docker)")
        )
    else:
        found.append(Finding("pypy3", "ok", _first_line([pypy, "--version"])))
    return found


def _sandboxes() -> list[Finding]:
    return [_sandbox("docker"), _sandbox("bubblewrap")]


def _sandbox(name: str) -> Finding:
    """Starts one real sandbox and asks what it guarantees."""
    from agent.errors import AgentError
    from agent.sandbox import SandboxInfo, SandboxSpec
    from agent.sandbox.backends import open_backend

    async def probe() -> SandboxInfo:
        backend = await open_backend(name)
        try:
            sandbox = await backend.start(SandboxSpec(owner="doctor"))
            try:
                return sandbox.info
            finally:
                await sandbox.close()
        finally:
            await backend.close()

    try:
        info = asyncio.run(asyncio.wait_for(probe(), 120))
    except (AgentError, TimeoutError) as error:
        return Finding(f"sandbox {name}", "absent", str(error) or "no answer within 120 s")
    detail = f"{info.accounting} accounting, image {info.image}"
    if info.notes:
        return Finding(f"sandbox {name}", "weaker", detail, " ".join(info.notes))
    return Finding(f"sandbox {name}", "ok", detail)


def _vllm() -> list[Finding]:
    from agent.errors import AgentError
    from agent.models.serve import find_vllm

    try:
        command = find_vllm()
    except AgentError as error:
        return [Finding("vllm", "absent", "no `vllm` command", str(error))]
    return [Finding("vllm", "ok", " ".join(command))]


def _gpu() -> list[Finding]:
    smi = shutil.which("nvidia-smi")
    if smi is None:
        advice = "checkpoints are served on the CPU: fine for small ones only"
        return [Finding("gpu", "absent", "no nvidia-smi", advice)]
    query = [smi, "--query-gpu=name,memory.total", "--format=csv,noheader"]
    return [Finding("gpu", "ok", _first_line(query))]


def _extras() -> list[Finding]:
    found = []
    for module, extra, why in (("pyarrow", "parquet", "Parquet datasets and exports"),):
        if importlib.util.find_spec(module) is None:
            advice = f"optional, for {why}: pip install 'frontier-agent[{extra}]'"
            found.append(Finding(module, "absent", "not installed", advice))
        else:
            found.append(Finding(module, "ok", "installed"))
    return found


def _first_line(command: list[str]) -> str:
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return (run.stdout or run.stderr).partition("\n")[0]
