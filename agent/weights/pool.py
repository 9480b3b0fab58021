"""Worker processes that take pieces of a merge from one queue."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from agent.weights.check import MergeError

Piece = dict[str, Any]


def run_pieces(
    setup: Mapping[str, Any],
    groups: Iterator[Iterator[Piece]],
    done: Callable[[Piece, dict[str, Any]], None],
    workers: int,
) -> None:
    """Has every piece done by one of `workers` processes and calls `done` after each.

    A group is the pieces of one file. Every worker keeps to a file of its own as long as there are
    enough of them, because the kernel lets only one process at a time write to a file.

    `done` is called from several threads, one at a time. The first error ends all workers and is
    raised here; so does an interrupt. Raises MergeError when a worker dies.
    """
    lock, stop = threading.Lock(), threading.Event()
    errors: list[BaseException] = []
    processes = [_start(setup) for _ in range(workers)]

    active: list[Iterator[Piece]] = []  # groups that may have pieces left

    def drive(process: subprocess.Popen[bytes]) -> None:
        group: Iterator[Piece] = iter(())
        try:
            while not stop.is_set():
                with lock:
                    group, piece = _next(group, groups, active)
                if piece is None:
                    return
                answer = _ask(process, piece)
                with lock:
                    if not stop.is_set():
                        done(piece, answer)
        except BaseException as error:  # handed to the caller below
            errors.append(error)
            stop.set()

    threads = [threading.Thread(target=drive, args=(p,), daemon=True) for p in processes]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        stop.set()
        for process in processes:
            if errors or any(thread.is_alive() for thread in threads):
                process.kill()
            with contextlib.suppress(OSError):
                process.stdin.close()  # type: ignore[union-attr]
            process.wait()
        for thread in threads:
            thread.join()
        for process in processes:
            process.stdout.close()  # type: ignore[union-attr]
    if errors:
        raise errors[0]


def default_workers() -> int:
    """One per core that this process may use, up to sixteen: enough for any disk."""
    return min(16, len(os.sched_getaffinity(0)))


def _next(
    own: Iterator[Piece], groups: Iterator[Iterator[Piece]], active: list[Iterator[Piece]]
) -> tuple[Iterator[Piece], Piece | None]:
    """The next piece of one's own group, else of a new one, else of another worker's."""
    piece = next(own, None)
    while piece is None:
        if own in active:
            active.remove(own)
        fresh = next(groups, None)
        if fresh is not None:
            active.append(fresh)
            own = fresh
        elif active:
            own = active[-1]
        else:
            return own, None
        piece = next(own, None)
    return own, piece


def _start(setup: Mapping[str, Any]) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "agent.weights.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # One thread each: the processes are the parallelism.
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        process_group=0,  # an interrupt at the terminal reaches the parent alone, which ends these
    )
    _send(process, setup)
    return process


def _ask(process: subprocess.Popen[bytes], piece: Piece) -> dict[str, Any]:
    _send(process, piece)
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        code = process.wait()
        raise MergeError(
            f"{piece['tensor']}: a worker process died (exit code {code}"
            f"{', perhaps out of memory' if code == -9 else ''}); run the same command again"
        )
    answer: dict[str, Any] = json.loads(line)
    return answer


def _send(process: subprocess.Popen[bytes], value: Mapping[str, Any]) -> None:
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError):  # the answer, or its absence, tells
        process.stdin.write(json.dumps(value).encode() + b"\n")
        process.stdin.flush()
