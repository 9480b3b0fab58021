"""What a vLLM server needs to serve θ_α straight from A and B, and how to ask it for another α."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import agent
from agent.shipped import cache_folder
from agent.weights import carry
from agent.weights.check import check
from agent.weights.checkpoint import open_checkpoint
from agent.weights.identity import checkpoint_identity
from agent.weights.names import member_name

_ENTRY_POINTS = """\
[vllm.general_plugins]
theta = agent.weights.vllm_plugin:register

[vllm.endpoint_plugins]
theta_http = agent.weights.vllm_http:ThetaHttp
"""


@dataclass(frozen=True, slots=True)
class OnTheFly:
    """Arguments after `vllm serve`, environment, and the name under which the member is served."""

    arguments: tuple[str, ...]
    environment: Mapping[str, str]
    name: str


def on_the_fly(a: Path, b: Path, alpha: float, family: str, *, carry_from: str = "B") -> OnTheFly:
    """How to start a server of family member α without writing it.

    Checks A and B by their headers first. Raises what `merge_members` would raise for them. The
    server then answers `GET /theta` and `POST /theta` (agent.weights.vllm_http).
    """
    check([open_checkpoint(a), open_checkpoint(b)]).raise_for_problems()
    name = member_name(family, alpha)
    extra = {"a": str(a.resolve()), "b": str(b.resolve()), "alpha": alpha, "family": family}
    arguments = (
        str(_shell(a, b, "AB".index(carry_from))),
        "--load-format", "theta",
        "--model-loader-extra-config", json.dumps(extra),
        "--weight-transfer-config", json.dumps({"backend": "theta"}),
        "--served-model-name", name,
    )  # fmt: skip
    return OnTheFly(arguments, plugin_environment(), name)


def plugin_environment() -> dict[str, str]:
    """Environment in which any vLLM, in whatever virtual environment, finds the plugins.

    A folder with a link to this package and the entry points is put on PYTHONPATH, so that nothing
    has to be installed beside vLLM. The package needs only NumPy and safetensors there.
    """
    version = hashlib.sha256(_ENTRY_POINTS.encode() + agent.__version__.encode()).hexdigest()[:12]
    package = Path(agent.__file__).resolve().parent
    place = hashlib.sha256(str(package).encode()).hexdigest()[:12]
    folder = cache_folder("vllm-plugin") / f"{version}-{place}"
    metadata = folder / "frontier_agent_theta-0.dist-info"
    metadata.mkdir(parents=True, exist_ok=True)
    _write(metadata / "entry_points.txt", _ENTRY_POINTS)
    _write(metadata / "METADATA", "Metadata-Version: 2.1\nName: frontier-agent-theta\nVersion: 0\n")
    link = folder / "agent"
    if not link.exists():
        temporary = folder / f".agent.{os.getpid()}"
        temporary.symlink_to(package)
        temporary.replace(link)
    path = os.environ.get("PYTHONPATH")
    plugins = [p for p in os.environ.get("VLLM_PLUGINS", "").split(",") if p]
    return {
        "PYTHONPATH": f"{folder}{os.pathsep}{path}" if path else str(folder),
        "VLLM_PLUGINS": ",".join(dict.fromkeys([*plugins, "theta", "theta_http"])),
    }


async def served(base_url: str, *, timeout_s: float = 10.0) -> dict[str, Any] | None:
    """`GET /theta`: the member that a server serves now; None when it serves no family."""
    import httpx

    async with httpx.AsyncClient(timeout=timeout_s) as client:
        response = await client.get(f"{_root(base_url)}/theta")
    return dict(response.json()) if response.status_code == 200 else None


async def set_alpha(base_url: str, alpha: float, *, timeout_s: float = 1800.0) -> dict[str, Any]:
    """Makes a running server serve another member of its family; returns what `served` would.

    Waits for its running requests. Raises ServerError when it refuses or fails.
    """
    import httpx

    from agent.models import ServerError

    try:
        # A connection of its own: vLLM closes kept-alive ones after an error.
        async with httpx.AsyncClient(timeout=timeout_s) as client:
            response = await client.post(f"{_root(base_url)}/theta", json={"alpha": alpha})
    except httpx.HTTPError as error:
        raise ServerError(f"{base_url}: changing alpha to {alpha:g} failed: {error!r}") from None
    if response.status_code != 200:
        raise ServerError(f"{base_url}: changing alpha to {alpha:g}: {response.text[:500]}")
    return dict(response.json())


def _root(base_url: str) -> str:
    return base_url.rstrip("/").removesuffix("/v1")


def _shell(a: Path, b: Path, donor: int) -> Path:
    """A folder with everything of the merged checkpoint but the weights."""
    carried = carry.choose((a, b), donor)
    hashes = [checkpoint_identity(folder) for folder in (a, b)]
    contents = [(name, (folder / name).read_bytes()) for name, folder in carried.files.items()]
    key = hashlib.sha256(repr((hashes, contents)).encode()).hexdigest()[:24]
    shell = cache_folder("shells") / key
    if not shell.is_dir():
        temporary = shell.with_name(f".{key}.{os.getpid()}")
        temporary.mkdir()
        carry.copy(carried, temporary, None)
        try:
            temporary.rename(shell)
        except OSError:  # another process was faster
            import shutil

            shutil.rmtree(temporary)
    return shell


def _write(file: Path, text: str) -> None:
    if not file.exists():
        file.write_text(text, encoding="utf-8")
