"""The outer half of a lasting interpreter: starts the driver in the workspace and talks with it."""

from __future__ import annotations

import asyncio
import base64
import json
from dataclasses import dataclass
from pathlib import Path

from tools import Process, Workspace
from tools.text import cut, readable

_DRIVER = (Path(__file__).parent / "inside" / "driver.py").read_text("utf-8")
_GRACE_S = 5.0  # for the driver to stop the code and answer, beyond the code's own time
_OWN_BYTES = 128 << 20  # for driver and interpreter, beside what the code may use
_LINE_LIMIT = 1 << 20  # a reply holds at most 128 KiB in base64; more is not from our driver


@dataclass(frozen=True, slots=True)
class Reply:
    """What one piece of code did. See tools/inside/driver.py."""

    output: str
    ended: str  # the driver's, or "lost": the driver itself was killed
    status: int | None = None
    cwd: str = "/work"


class Interpreter:
    """One bash or Python in a workspace, started when first used and again when it was lost."""

    def __init__(self, workspace: Workspace, kind: str, memory_bytes: int) -> None:
        self._workspace, self._kind, self._memory_bytes = workspace, kind, memory_bytes
        self._process: Process | None = None
        self._pending = b""

    async def run(self, code: str, *, timeout_s: float, limit: int) -> Reply:
        """Runs the code to its end or its time limit; output is cut to about `limit` characters."""
        request = json.dumps({"code": code, "timeout_s": timeout_s}).encode() + b"\n"
        try:
            async with asyncio.timeout(timeout_s + _GRACE_S):
                line = await self._exchange(request)
        except TimeoutError:
            line = b""
        if not line:
            await self._lose()
            return Reply("", "lost")
        reply = json.loads(line)
        data = base64.b64decode(reply["output"])
        head, tail = data[: reply["head"]], data[reply["head"] :]
        if reply["cut"]:
            half = limit // 2
            start = readable(head.decode("utf-8", "replace"))[:half]
            end = readable(tail.decode("utf-8", "replace"))[-half:]
            missing = max(0, len(data) + reply["cut"] - 2 * half)
            text = f"{start}\n[… {missing:,} characters cut …]\n{end}"
        else:
            text = cut(readable(data.decode("utf-8", "replace")), limit)
        return Reply(text, reply["ended"], reply["status"], reply["cwd"])

    async def _exchange(self, request: bytes) -> bytes:
        """One line from the driver; b"" when it has gone."""
        if self._process is None:
            argv = ("python3", "-c", _DRIVER, self._kind, str(self._memory_bytes))
            self._process = await self._workspace.start(
                argv, memory_bytes=self._memory_bytes + _OWN_BYTES
            )
        try:
            await self._process.write(request)
        except BrokenPipeError:
            return b""
        while b"\n" not in self._pending:
            part = await self._process.read()
            if not part or len(self._pending) > _LINE_LIMIT:
                return b""
            self._pending += part
        line, _, self._pending = self._pending.partition(b"\n")
        return line

    async def _lose(self) -> None:
        """Ends whatever runs; the next call starts anew."""
        self._process, self._pending = None, b""
        await self._workspace.restart()
