"""The frames: round trips, and parsers on both sides fed with anything."""

from __future__ import annotations

import asyncio
import contextlib
import random
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.sandbox import Command, Limits, SandboxError
from agent.sandbox import protocol as wire
from agent.sandbox.bubblewrap import BubblewrapBackend
from tests.sandbox.conftest import SPEC

frames = st.lists(st.tuples(st.binary(min_size=1, max_size=1), st.integers(0, 65535), st.binary()))


@given(frames, st.integers(1, 50))
def test_any_cut_gives_the_same_frames(sent: list[tuple[bytes, int, bytes]], step: int) -> None:
    stream = b"".join(wire.pack(*one) for one in sent)
    reader = wire.FrameReader()
    got = []
    for at in range(0, len(stream), step):
        got += list(reader.feed(stream[at : at + step]))
    assert [(bytes([frame.type]), frame.id, frame.payload) for frame in got] == sent


@given(st.lists(st.binary()))
def test_the_reader_only_raises_its_own_error(chunks: list[bytes]) -> None:
    reader = wire.FrameReader()
    with contextlib.suppress(SandboxError):
        for chunk in chunks:
            for frame in reader.feed(chunk):
                for unpack in (wire.unpack_finished, wire.unpack_hello, wire.unpack_u32):
                    with contextlib.suppress(SandboxError):
                        unpack(frame.payload)


def test_a_command_that_cannot_be_sent() -> None:
    limits = Limits(1, 1, 1 << 20)
    for argv in ((), ("a\0b",), ("x" * (2 << 20),)):
        with pytest.raises(ValueError, match="argument"):
            wire.pack_run(1, Command(argv, limits), {}, stream=False)


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_the_supervisor_survives_or_leaves(data: st.DataObject) -> None:
    """Broken frames end in an error frame or in its exit, never in silence or a crash."""
    kinds = st.sampled_from([b"P", b"G", b"Z", b"I", b"R", b"W", b"C", b"S", b"?"])
    good = wire.pack_run(3, Command(("true",), Limits(1, 1, 64 << 20)), {}, stream=False)
    run = good[7:]
    payloads = st.one_of(
        st.binary(max_size=300),
        st.integers(0, len(run)).map(lambda n: run[:n]),
        st.builds(
            lambda at, byte: run[:at] + bytes([byte]) + run[at + 1 :],
            st.integers(0, len(run) - 1),
            st.integers(0, 255),
        ),
        st.builds(
            lambda n, rest: struct.pack("<BH", 0, n) + rest,
            st.integers(0, 65535),
            st.binary(max_size=64),
        ),
    )
    stream = b"".join(
        wire.pack(kind, id_, payload)
        for kind, id_, payload in data.draw(
            st.lists(st.tuples(kinds, st.integers(0, 3), payloads), min_size=1, max_size=6)
        )
    )
    stream += data.draw(st.one_of(st.just(b""), st.binary(max_size=40)))
    asyncio.run(feed(stream))


async def feed(stream: bytes) -> None:
    from agent.sandbox.bubblewrap import _Holder

    holder = await asyncio.to_thread(_Holder, SPEC, False)
    try:
        reader, writer = await asyncio.open_unix_connection(sock=holder.take_socket())
        writer.write(stream)
        with contextlib.suppress(ConnectionError):
            await writer.drain()
            writer.write_eof()
        async with asyncio.timeout(20):
            answer = await reader.read()
        assert b"H" in answer[:8]
        process = holder._process
        code = await asyncio.to_thread(process.wait, 20)
        assert code in (0, 1), f"ended with {code} after {stream!r}: {answer[-200:]!r}"
        list(wire.FrameReader().feed(answer))
    finally:
        await holder.close()


async def test_a_sandbox_whose_supervisor_dies_is_broken() -> None:
    sandbox = await BubblewrapBackend().start(SPEC)
    task = asyncio.create_task(sandbox.run(Command(("sleep", "50"), Limits(60, 60, 64 << 20))))
    await asyncio.sleep(0.2)
    sandbox._transport.write(wire.pack(b"?", 1, random.randbytes(10)))  # type: ignore[attr-defined]
    with pytest.raises(SandboxError, match="unknown type"):
        await task
    assert sandbox.broken
    await sandbox.close()
