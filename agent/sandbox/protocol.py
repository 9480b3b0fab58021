"""Frames between the host and the supervisor: packing, and parsing of a byte stream.

A frame is u32 length, u8 type, u16 id, then `length` bytes; little-endian. The C side, with the
list of types, is `supervisor/main.c`; the two are built from one source tree and never mixed: the
first frame carries `VERSION`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from agent.sandbox import Command, Ended, SandboxError

VERSION = 1
PAYLOAD_MAX = 1 << 20
CHUNK = 256 << 10  # content bytes that we put in one frame
STDIN_WINDOW = 256 << 10  # streamed stdin that may be under way

_HEADER = struct.Struct("<IBH")
_RUN = struct.Struct("<7Q2I2H")
_FINISHED = struct.Struct("<B3i7Q")
_HELLO = struct.Struct("<3I")
_FRESH, _READONLY_WORK, _RESULT_FD, _DISCARD_STDOUT, _STREAM_STDIN = 1, 2, 4, 8, 16
_EXECUTABLE, _APPEND = 1, 2
_ENDED = (
    None,
    Ended.EXITED,
    Ended.SIGNALED,
    Ended.CPU_LIMIT,
    Ended.IDLE_LIMIT,
    Ended.WALL_LIMIT,
    Ended.MEMORY_LIMIT,
    Ended.OUTPUT_LIMIT,
    Ended.KILLED,
)
_NS = 1_000_000_000
_FOREVER_NS = 1 << 62


class Frame(NamedTuple):
    type: int
    id: int
    payload: bytes


class Hello(NamedTuple):
    version: int
    cgroup: int  # version of the hierarchy, 0: figures are polled
    uid: int


class Finished(NamedTuple):
    """The supervisor's figures of one command, in its own units."""

    ended: Ended
    exit_code: int | None
    signal: int | None
    exec_errno: int
    cpu_ns: int
    wall_ns: int
    wait_ns: int
    peak_bytes: int
    stdout_bytes: int
    stderr_bytes: int
    result_bytes: int


class FrameReader:
    """Cuts a byte stream into frames. Raises SandboxError on what cannot be one."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[Frame]:
        buffer = self._buffer
        buffer += data
        at = 0
        try:
            while len(buffer) - at >= _HEADER.size:
                length, kind, id_ = _HEADER.unpack_from(buffer, at)
                if length > PAYLOAD_MAX:
                    raise SandboxError(f"broken frame: {length} bytes of type {kind}")
                end = at + _HEADER.size + length
                if len(buffer) < end:
                    break
                payload = bytes(memoryview(buffer)[at + _HEADER.size : end])
                at = end
                yield Frame(kind, id_, payload)
        finally:
            del buffer[:at]


def pack(kind: bytes, id_: int, payload: bytes = b"") -> bytes:
    """One frame."""
    return _HEADER.pack(len(payload), kind[0], id_) + payload


def pack_put(id_: int, path: str, content: bytes, *, executable: bool, append: bool) -> bytes:
    name = path.encode()
    flags = _EXECUTABLE * executable | _APPEND * append
    return pack(b"P", id_, struct.pack("<BH", flags, len(name)) + name + content)


def pack_get(id_: int, path: str, max_bytes: int) -> bytes:
    return pack(b"G", id_, struct.pack("<Q", max_bytes) + path.encode())


def pack_run(id_: int, command: Command, env: Mapping[str, str], *, stream: bool) -> bytes:
    """The frame that starts `command`. Raises ValueError when it cannot be expressed."""
    limits = command.limits
    texts = [command.cwd, *command.argv, *(f"{name}={value}" for name, value in env.items())]
    if not command.argv or any("\0" in text for text in texts):
        raise ValueError("a command needs arguments, and none may hold a NUL")
    flags = (
        _FRESH * command.fresh
        | _READONLY_WORK * command.readonly_work
        | _RESULT_FD * command.result_fd
        | _DISCARD_STDOUT * (not limits.kill_on_stdout_limit)
        | _STREAM_STDIN * stream
    )
    head = _RUN.pack(
        _ns(limits.cpu_s),
        _ns(limits.idle_s),
        _ns(limits.wall_s),
        limits.memory_bytes,
        limits.stdout_bytes,
        limits.stderr_bytes,
        limits.stdout_bytes,  # the result has the same limit as stdout
        limits.pids,
        flags,
        len(command.argv),
        len(env),
    )
    payload = head + b"".join(text.encode("utf-8", "surrogateescape") + b"\0" for text in texts)
    if len(payload) > PAYLOAD_MAX:
        raise ValueError(f"arguments and environment of {len(payload)} bytes are too long")
    return pack(b"R", id_, payload)


def unpack_hello(payload: bytes) -> Hello:
    return Hello(*_unpack(_HELLO, payload))


def unpack_finished(payload: bytes) -> Finished:
    ended, exit_code, signal, *rest = _unpack(_FINISHED, payload)
    why = _ENDED[ended] if ended < len(_ENDED) else None
    if why is None:
        raise SandboxError(f"broken frame: a command ended for the unknown reason {ended}")
    return Finished(
        why, exit_code if exit_code >= 0 else None, signal if signal >= 0 else None, *rest
    )


def unpack_u32(payload: bytes) -> int:
    return int(_unpack(struct.Struct("<I"), payload)[0])


def _unpack(shape: struct.Struct, payload: bytes) -> tuple[int, ...]:
    if len(payload) != shape.size:
        raise SandboxError(f"broken frame: {len(payload)} bytes where {shape.size} are expected")
    return shape.unpack(payload)


def _ns(seconds: float) -> int:
    return min(_FOREVER_NS, max(0, int(min(seconds, 1e9) * _NS)))
