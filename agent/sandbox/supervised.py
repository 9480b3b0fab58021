"""A sandbox spoken to through its supervisor: the same client for every backend."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from agent.sandbox import Command, Ended, Execution, Limits, SandboxError, SandboxInfo, SandboxSpec
from agent.sandbox import protocol as wire

BASE_ENV = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/work",
    "TMPDIR": "/tmp",
    "LANG": "C.UTF-8",
    "USER": "user",
}
_T = TypeVar("_T")
_FILE_S = 120.0  # for one put, get or reset
_GRACE_S = 30.0  # beyond a command's own wall limit, or to obey a stop
_BEAT_S = 15.0  # a supervisor that is silent for so long while programs run is asked for a sign
_MISSED = 4  # so many signs left out: it is lost (a paused container, a daemon that is stuck)


@dataclass(eq=False)
class _Request:
    """A put, get or reset under way: `left` more answers are expected."""

    done: asyncio.Future[None]
    left: int = 1
    chunks: list[bytes] = field(default_factory=list)


class Process:
    """A command under way. `read` gives its stdout as it comes; `wait` its figures at the end."""

    def __init__(self, sandbox: SupervisedSandbox, id_: int, command: Command) -> None:
        self._sandbox = sandbox
        self._id = id_
        self.command = command
        self.finished: asyncio.Future[wire.Finished] = sandbox.loop.create_future()
        self.chunks: dict[int, deque[bytes]] = {ord(kind): deque() for kind in "OET"}
        self.news = asyncio.Event()
        self.window = wire.STDIN_WINDOW
        seconds = command.limits.wall_s + _GRACE_S  # the supervisor's own limit comes before
        late = f"a program did not end within {seconds:g} s"
        overdue = sandbox.loop.call_later(seconds, sandbox.fail, late)
        self.finished.add_done_callback(lambda _: overdue.cancel())

    async def read(self) -> bytes:
        """What it wrote to stdout since the last call: at least one byte, b"" once it has ended."""
        return await self._take(ord("O"))

    async def read_stderr(self) -> bytes:
        """The same for stderr."""
        return await self._take(ord("E"))

    async def write(self, data: bytes) -> None:
        """Gives `data` to its stdin; returns when all but a window of 256 KiB is taken.

        Raises BrokenPipeError when the program has ended. What a living program that closed its
        stdin does not take is thrown away.
        """
        view = memoryview(data)
        while view:
            while not self.window and not self.finished.done():
                self.news.clear()
                await self.news.wait()
            if self.finished.done():
                raise BrokenPipeError("the program has ended")
            part, view = view[: self.window], view[self.window :]
            self.window -= len(part)
            await self._sandbox.send(wire.pack(b"W", self._id, bytes(part)))

    async def close_stdin(self) -> None:
        if not self.finished.done():
            await self._sandbox.send(wire.pack(b"C", self._id))

    async def kill(self) -> None:
        """Ends it and waits until it is gone. Safe to call twice."""
        if not self.finished.done():
            await self._sandbox.send(wire.pack(b"S", self._id))
            await self._sandbox.within(_GRACE_S, asyncio.shield(self.finished), "stop a program")

    async def wait(self) -> Execution:
        """How it ended. stdout holds what was not read before. Cancelling does not kill."""
        ended = await asyncio.shield(self.finished)
        stdout, stderr, result = (b"".join(self.chunks[ord(kind)]) for kind in "OET")
        if ended.exec_errno:
            argv0, reason = self.command.argv[0], os.strerror(ended.exec_errno)
            stderr += f"cannot execute {argv0} in {self.command.cwd}: {reason}\n".encode()
        return Execution(
            ended=ended.ended,
            exit_code=ended.exit_code,
            signal=ended.signal,
            cpu_s=ended.cpu_ns / 1e9,
            wall_s=ended.wall_ns / 1e9,
            wait_s=ended.wait_ns / 1e9,
            peak_bytes=ended.peak_bytes,
            stdout=stdout,
            stderr=stderr,
            stdout_bytes=ended.stdout_bytes,
            stderr_bytes=ended.stderr_bytes,
            result=result,
        )

    async def _take(self, kind: int) -> bytes:
        chunks = self.chunks[kind]
        while not chunks and not self.finished.done():
            self.news.clear()
            await self.news.wait()
        if not chunks and not self.finished.cancelled() and self.finished.exception():
            self.finished.result()
        data = b"".join(chunks)
        chunks.clear()
        return data


class SupervisedSandbox(asyncio.Protocol):
    """Implements `agent.sandbox.Sandbox` over a connected socket.

    strip: removes a transport's own framing from what arrives (Docker's multiplexed stream).
    on_close: removes what holds the supervisor; it runs once, whatever went wrong before.
    """

    def __init__(
        self,
        spec: SandboxSpec,
        describe: Callable[[wire.Hello], SandboxInfo],
        on_close: Callable[[], Awaitable[None]],
        strip: Callable[[bytes], bytes] = bytes,
    ) -> None:
        self.spec = spec
        self.loop = asyncio.get_running_loop()
        self._describe = describe
        self._on_close = on_close
        self._strip = strip
        self._reader = wire.FrameReader()
        self._hello: asyncio.Future[wire.Hello] = self.loop.create_future()
        self._requests: dict[int, _Request] = {}
        self._processes: dict[int, Process] = {}
        self._next_id = 0
        self._starting = asyncio.Lock()
        self._writable = asyncio.Event()
        self._writable.set()
        self._lost: SandboxError | None = None
        self._beat: asyncio.TimerHandle | None = None
        self._missed = 0
        self._closing: asyncio.Task[None] | None = None
        self._transport: asyncio.Transport | None = None
        self._info: SandboxInfo | None = None

    async def connect(self, connected: socket.socket, *, timeout_s: float = 60.0) -> None:
        """Takes over a socket and waits for the supervisor's first frame."""
        await self.loop.create_unix_connection(lambda: self, sock=connected)
        hello = await self.within(timeout_s, asyncio.shield(self._hello), "start the supervisor")
        if hello.version != wire.VERSION:
            self.fail(f"supervisor speaks version {hello.version}, not {wire.VERSION}")
        self._info = self._describe(hello)
        self._listen()
        await self._canary()

    async def _canary(self) -> None:
        """A sandbox in which nothing can run (a kernel that refuses a call) is no sandbox."""
        memory = min(64 << 20, self.spec.memory_bytes)
        limits = Limits(cpu_s=5, idle_s=30, memory_bytes=memory, wall_s=60)
        done = await self.run(Command(("/bin/cat",), limits, stdin=b"canary"))
        if (done.ended, done.exit_code, done.stdout) != (Ended.EXITED, 0, b"canary"):
            raise SandboxError(f"the first program does not run: {done.ended}, {done.stderr!r}")

    @property
    def info(self) -> SandboxInfo:
        assert self._info is not None, "not connected"
        return self._info

    @property
    def broken(self) -> bool:
        """It cannot be used any more."""
        return self._lost is not None

    async def put(self, files: Mapping[str, bytes], *, executable: bool = False) -> None:
        for path, content in files.items():
            _check_path(path)
            steps = range(0, max(1, len(content)), wire.CHUNK)
            id_, request = self._request(len(steps))
            for start in steps:
                part = content[start : start + wire.CHUNK]
                await self.send(
                    wire.pack_put(id_, path, part, executable=executable, append=start > 0)
                )
            try:
                await self.within(_FILE_S, request.done, f"write {path}")
            except OSError as error:
                raise ValueError(f"cannot write {path}: {error.strerror}") from None

    async def get(self, path: str, *, max_bytes: int = 64 << 20) -> bytes:
        _check_path(path)
        id_, request = self._request()
        await self.send(wire.pack_get(id_, path, max_bytes))
        try:
            await self.within(_FILE_S, request.done, f"read {path}")
        except FileNotFoundError:
            raise FileNotFoundError(f"no file {path}") from None
        except OSError as error:
            reasons = {
                errno.EFBIG: f"larger than {max_bytes} bytes",
                errno.EINVAL: "not a regular file",
                errno.ELOOP: "a link",
            }
            reason = reasons.get(error.errno or 0, error.strerror)
            raise ValueError(f"cannot read {path}: {reason}") from None
        return b"".join(request.chunks)

    async def reset(self) -> None:
        id_, request = self._request()
        await self.send(wire.pack(b"Z", id_))
        await self.within(_FILE_S, request.done, "reset")

    async def run(self, command: Command) -> Execution:
        process = await self._start(command, stream=False)
        try:
            return await process.wait()
        except asyncio.CancelledError:
            await asyncio.shield(process.kill())
            raise

    async def start(self, command: Command) -> Process:
        """Starts a command; its stdin (after `command.stdin`) and stdout are the caller's."""
        process = await self._start(command, stream=True)
        if command.stdin:
            await process.write(command.stdin)
        return process

    async def close(self) -> None:
        if self._closing is None:
            self._closing = self.loop.create_task(self._close())
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        self.fail("the sandbox is closed")
        await self._on_close()

    # ---- the connection ----

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._missed = 0
        try:
            for frame in self._reader.feed(self._strip(data)):
                self._handle(frame)
        except SandboxError as error:
            self.fail(str(error))

    def eof_received(self) -> None:
        self.fail("the supervisor is gone")

    def connection_lost(self, exc: Exception | None) -> None:
        self.fail("the connection to the supervisor is lost")

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    def _listen(self) -> None:
        """Asks a silent supervisor for a file that is not there: any answer is a sign of life."""
        if self._missed >= _MISSED:
            self.fail(f"the supervisor has not answered for {_MISSED * _BEAT_S:g} s")
        if self._lost or self._transport is None:
            return
        if self._processes:
            self._missed += 1
            id_, request = self._request()
            request.done.add_done_callback(lambda done: done.exception())
            self._transport.write(wire.pack_get(id_, "sign-of-life", 0))
        self._beat = self.loop.call_later(_BEAT_S, self._listen)

    async def send(self, frame: bytes) -> None:
        """Sends a frame; waits while much is still unsent."""
        if self._lost or self._transport is None:
            raise SandboxError(str(self._lost or "the sandbox is not connected"))
        self._transport.write(frame)
        if not self._writable.is_set():
            await self.within(_FILE_S, self._writable.wait(), "send")

    async def within(self, seconds: float, work: Awaitable[_T], what: str) -> _T:
        """The result of `work`; a supervisor that does not answer in time is lost."""
        try:
            async with asyncio.timeout(seconds):
                return await work
        except TimeoutError:
            self.fail(f"could not {what} within {seconds:g} s")
            raise SandboxError(str(self._lost)) from None

    async def _start(self, command: Command, *, stream: bool) -> Process:
        if command.limits.memory_bytes > self.spec.memory_bytes:
            raise SandboxError(
                f"a memory limit of {command.limits.memory_bytes} bytes is above the sandbox's "
                f"{self.spec.memory_bytes}"
            )
        id_ = self._new_id()
        frame = wire.pack_run(id_, command, {**BASE_ENV, **command.env}, stream=stream)
        process = Process(self, id_, command)
        async with self._starting:  # the input is that of the next command, whichever it is
            if not stream:
                for start in range(0, len(command.stdin), wire.CHUNK):
                    await self.send(wire.pack(b"I", id_, command.stdin[start : start + wire.CHUNK]))
            self._processes[id_] = process
            await self.send(frame)
        return process

    def _new_id(self) -> int:
        while True:
            self._next_id = (self._next_id + 1) % 65536
            if self._next_id not in self._processes and self._next_id not in self._requests:
                return self._next_id

    def _request(self, answers: int = 1) -> tuple[int, _Request]:
        if self._lost:
            raise SandboxError(str(self._lost))
        id_ = self._new_id()
        request = _Request(self.loop.create_future(), answers)
        self._requests[id_] = request
        return id_, request

    def _handle(self, frame: wire.Frame) -> None:
        kind, id_, payload = frame
        process = self._processes.get(id_)
        if process is not None:
            self._handle_process(process, kind, id_, payload)
        elif (request := self._requests.get(id_)) is not None:
            if kind == ord("D"):
                request.chunks.append(payload)
                return
            request.left -= 1
            if kind == ord("X") and not request.done.done():
                request.done.set_exception(_os_error(payload))
            if request.left == 0:
                del self._requests[id_]
                if not request.done.done():
                    request.done.set_result(None)
        elif kind == ord("!"):
            self.fail(payload.decode(errors="replace"))
        elif kind == ord("H"):
            if not self._hello.done():
                self._hello.set_result(wire.unpack_hello(payload))
        else:
            self.fail(f"an unexpected frame {chr(kind)!r} for {id_}")

    def _handle_process(self, process: Process, kind: int, id_: int, payload: bytes) -> None:
        if kind in process.chunks:
            process.chunks[kind].append(payload)
        elif kind == ord("A"):
            process.window += wire.unpack_u32(payload)
        elif kind == ord("F"):
            del self._processes[id_]
            process.finished.set_result(wire.unpack_finished(payload))
        elif kind == ord("X"):
            del self._processes[id_]
            process.finished.set_exception(SandboxError("too many programs run in the sandbox"))
        else:
            raise SandboxError(f"broken frame: {chr(kind)!r} for a command")
        process.news.set()

    def fail(self, reason: str) -> None:
        """Marks the sandbox as lost and tells everybody who waits for it."""
        if self._lost is None:
            self._lost = SandboxError(reason)
        if self._beat is not None:
            self._beat.cancel()
        if self._transport is not None:
            self._transport.abort()
        error = SandboxError(str(self._lost))
        waiting: list[asyncio.Future[object]] = [self._hello]  # type: ignore[list-item]
        waiting += [request.done for request in self._requests.values()]  # type: ignore[misc]
        waiting += [process.finished for process in self._processes.values()]  # type: ignore[misc]
        for future in waiting:
            if not future.done():
                future.set_exception(error)
                future.exception()  # nobody may be waiting: not an error of its own
        for process in self._processes.values():
            process.news.set()
        self._requests.clear()
        self._processes.clear()
        self._writable.set()


def _check_path(path: str) -> None:
    parts = path.split("/")
    if not path or "\0" in path or any(part in ("", ".", "..") for part in parts):
        raise ValueError(f"{path!r} is not a plain path below /work")


def _os_error(payload: bytes) -> OSError:
    code = wire.unpack_u32(payload)
    return OSError(code, os.strerror(code))
