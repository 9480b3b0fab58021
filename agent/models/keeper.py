"""Keeps a server no longer than its owner: `python -m agent.models.keeper COMMAND…`.

Starts the command in a process group of its own, and ends that whole group when stdin closes, which
the kernel does for us however the owner dies, SIGKILL included. Exits with the command's code.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys

GRACE_S = float(os.environ.get("FRONTIER_AGENT_KEEPER_GRACE_S", "10"))


def main(command: list[str]) -> int:
    """Runs the command until it ends or stdin does."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the owner decides, by closing stdin
    child = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=_default_signals
    )
    waiter = os.pidfd_open(child.pid)
    try:
        select.select([sys.stdin.fileno(), waiter], [], [])
        if child.poll() is None:
            _signal(child.pid, signal.SIGTERM)
            select.select([waiter], [], [], GRACE_S)
        _signal(child.pid, signal.SIGKILL)  # also what the command left behind
        return child.wait()
    finally:
        os.close(waiter)


def _default_signals() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def _signal(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) & 0xFF)
