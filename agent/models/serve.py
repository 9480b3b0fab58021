"""A vLLM server of our own: started for one checkpoint, healthy before use, gone afterwards."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import shlex
import shutil
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import aiohttp

from agent.errors import AgentError, UsageError
from agent.models.registry import Serve
from agent.shipped import cache_folder

_TEMPLATES = Path(__file__).parent / "templates"
_ACCELERATORS = ("/dev/nvidiactl", "/dev/kfd", "/dev/accel")
_POLL_S = 0.25
_SAY_EVERY_S = 10.0
_BATCHED_TOKENS = 8192  # vLLM's own default for serving
_CPU_CONTEXT = 4096  # tokens, where models.yaml names none
_TAIL = 15  # lines of the log that an error shows

Say = Callable[[str], None]


class ServerStartError(AgentError):
    """The server did not become healthy; names its log and shows the end of it."""


def find_vllm() -> list[str]:
    """The command that starts vLLM, without `serve`.

    `FRONTIER_AGENT_VLLM`, else `.venv-vllm/bin/vllm` here or beside the package (made by
    scripts/install-vllm-cpu.sh), else `vllm` on PATH, else this Python when it has vLLM.
    Raises UsageError with what to do.
    """
    given = os.environ.get("FRONTIER_AGENT_VLLM")
    if given:
        command = shlex.split(given)
        if shutil.which(command[0]) is None:
            raise UsageError(f"FRONTIER_AGENT_VLLM={given}: no such program")
        return command
    for root in (Path.cwd(), Path(__file__).resolve().parents[2]):
        candidate = root / ".venv-vllm" / "bin" / "vllm"
        if os.access(candidate, os.X_OK):
            return [str(candidate)]
    on_path = shutil.which("vllm")
    if on_path is not None:
        return [on_path]
    import importlib.util

    if importlib.util.find_spec("vllm") is not None:
        return [sys.executable, "-m", "vllm.entrypoints.cli.main"]
    raise UsageError(
        "vLLM is not installed: pip install 'frontier-agent[vllm]' (GPU), or"
        " scripts/install-vllm-cpu.sh, or set FRONTIER_AGENT_VLLM, or use --base-url"
    )


def on_cpu(command: Sequence[str]) -> bool:
    """Whether this vLLM computes on the CPU: it is the CPU build, or there is no accelerator."""
    environment = Path(command[0]).parent.parent
    if any(environment.glob("lib/python*/site-packages/vllm_cpu-*.dist-info")):
        return True
    return not any(Path(device).exists() for device in _ACCELERATORS)


def chat_template(name: str) -> Path:
    """The file of a chat template: a path, or the name of one that ships. Raises UsageError."""
    shipped = _TEMPLATES / f"{name}.jinja"
    if shipped.is_file():
        return shipped
    path = Path(name).expanduser().resolve()
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in _TEMPLATES.glob("*.jinja")))
        raise UsageError(f"chat_template {name!r}: no such file; templates that ship: {known}")
    return path


def server_flags(serve: Serve, *, cpu: bool, native_context: int | None) -> list[str]:
    """vLLM's flags beside model, name and port. native_context: the checkpoint's own, if known.

    On the CPU: a prefill split over steps kills the engine when requests are seeded, so chunked
    prefill is off, and the batch budget must then hold a whole prompt; compiling costs more than
    it gains. Everywhere: sampling defaults come from the request, never from the checkpoint.
    """
    flags = ["--generation-config", "vllm"]
    context = serve.max_model_len
    if cpu:
        context = context or min(native_context or _CPU_CONTEXT, _CPU_CONTEXT)
        flags += ["--no-enable-chunked-prefill", "--enforce-eager"]
        flags += ["--max-num-batched-tokens", str(max(_BATCHED_TOKENS, context))]
    options = {
        "--max-model-len": context,
        "--max-num-seqs": serve.max_num_seqs,
        "--tensor-parallel-size": serve.tensor_parallel_size,
        "--dtype": serve.dtype,
        "--reasoning-parser": serve.reasoning_parser,
    }
    for flag, value in options.items():
        if value is not None:
            flags += [flag, str(value)]
    if serve.tool_call_parser is not None:
        flags += ["--enable-auto-tool-choice", "--tool-call-parser", serve.tool_call_parser]
    if serve.chat_template is not None:
        flags += ["--chat-template", str(chat_template(serve.chat_template))]
    return [*flags, *serve.flags]


class VllmServer:
    """`async with VllmServer(path, name, serve, say=print) as server:` serves while it lasts."""

    def __init__(
        self,
        model: Path,
        name: str,
        serve: Serve,
        *,
        say: Say,
        port: int | None = None,
        private: bool = True,
    ) -> None:
        """private: only who knows `api_key` may ask, so that neither another user's requests nor
        another server on the port go unnoticed."""
        if not (model / "config.json").is_file():
            raise UsageError(f"{model}: no model folder (it has no config.json)")
        self.model, self.name, self.serve = model, name, serve
        self.command = find_vllm()
        self.cpu = on_cpu(self.command)
        self.flags = server_flags(serve, cpu=self.cpu, native_context=native_context(model))
        self.api_key = secrets.token_urlsafe(24) if private else None
        self.log = cache_folder("logs") / f"vllm-{_safe(name)}-{os.getpid()}.log"
        self.seconds = 0.0
        self._port = port or _free_port()
        self._say = say
        self._process: asyncio.subprocess.Process | None = None

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def identity(self) -> Mapping[str, Any]:
        """What a run records about how it was served."""
        return {"server": "vllm", "flags": list(self.flags), "cpu": self.cpu}

    async def __aenter__(self) -> Self:
        try:
            await self._start()
        except BaseException:
            await self.stop()
            raise
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.stop()

    async def _start(self) -> None:
        device = "CPU" if self.cpu else "GPU"
        self._say(f"{self.name}: starting vLLM on the {device} (log: {self.log})")
        environment = {
            **os.environ,
            "VLLM_NO_USAGE_STATS": "1",
            "DO_NOT_TRACK": "1",
            "HF_HUB_OFFLINE": "1",
            **({"VLLM_API_KEY": self.api_key} if self.api_key else {}),
            **({"VLLM_CPU_KVCACHE_SPACE": str(self.serve.kv_cache_gib)} if self.cpu else {}),
            **self.serve.env,
        }
        command = [
            *(sys.executable, "-m", "agent.models.keeper"),
            *self.command,
            *("serve", str(self.model), "--served-model-name", self.name),
            *("--host", "127.0.0.1", "--port", str(self._port)),
            *self.flags,
        ]
        with self.log.open("wb") as log:
            self._process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=log,
                stderr=log,
                env=environment,
                cwd=cache_folder("logs"),
                start_new_session=True,
            )
        await self._until_healthy()
        self._say(f"{self.name}: serving after {self.seconds:.0f} s")

    async def _until_healthy(self) -> None:
        started = said = time.monotonic()
        url = self.base_url.removesuffix("/v1") + "/health"
        timeout = aiohttp.ClientTimeout(total=5)
        async with aiohttp.ClientSession(timeout=timeout) as session:
            while True:
                assert self._process is not None
                if self._process.returncode is not None:
                    raise self._failed(f"vLLM ended with code {self._process.returncode}")
                with contextlib.suppress(aiohttp.ClientError, TimeoutError, OSError):
                    async with session.get(url) as response:
                        if response.status == 200:
                            break
                now = time.monotonic()
                if now - started > self.serve.ready_timeout_s:
                    limit = f"{self.serve.ready_timeout_s:.0f} s"
                    raise self._failed(f"vLLM was not ready within {limit}")
                if now - said >= _SAY_EVERY_S:
                    said = now
                    self._say(f"{self.name}: loading, {now - started:.0f} s")
                await asyncio.sleep(_POLL_S)
        self.seconds = time.monotonic() - started

    def _failed(self, what: str) -> ServerStartError:
        with contextlib.suppress(OSError), self.log.open(errors="replace") as stream:
            lines = [line.rstrip() for line in deque(stream, _TAIL)]
            self._say("\n".join(f"  | {line}" for line in lines if line))
        return ServerStartError(f"{self.name}: {what}; its log is {self.log}")

    async def wait(self) -> None:
        """Until the server ends by itself, which is an error. Raises ServerStartError."""
        assert self._process is not None
        code = await self._process.wait()
        raise self._failed(f"vLLM ended with code {code}")

    async def stop(self) -> None:
        """Ends the server and everything that it started. Safe to call twice."""
        process, self._process = self._process, None
        if process is None or process.returncode is not None:
            return
        assert process.stdin is not None
        process.stdin.close()  # the keeper takes it from here
        await asyncio.shield(process.wait())


def native_context(model: Path) -> int | None:
    """The longest context that the checkpoint was made for, by its config.json."""
    try:
        value = json.loads((model / "config.json").read_bytes()).get("max_position_embeddings")
    except (OSError, ValueError, AttributeError):
        return None
    return value if isinstance(value, int) else None


def _free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


def _safe(name: str) -> str:
    return "".join(c if c.isalnum() or c in "._-" else "_" for c in name)[-80:]
