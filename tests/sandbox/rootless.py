"""Run by test_pool.py as a user without any rights; prints what it saw as JSON."""

from __future__ import annotations

import asyncio
import json

from agent.sandbox import Command, Limits, SandboxSpec
from agent.sandbox.bubblewrap import BubblewrapBackend

LIMITS = Limits(cpu_s=0.5, idle_s=1, memory_bytes=128 << 20, stdout_bytes=1 << 20)
PROGRAMS = {
    "hello": "print(1)",
    "burn": "while True: pass",
    "hoard": "x = []\nwhile True: x.append(bytearray(1 << 20))",
    "sleep": "import time; time.sleep(9)",
    "flood": "while True: print('x' * 1000)",
    "daemon": "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(99)",
}


async def main() -> None:
    sandbox = await BubblewrapBackend().start(SandboxSpec(memory_bytes=256 << 20))
    seen: dict[str, object] = {"accounting": sandbox.info.accounting}
    seen["notes"] = len(sandbox.info.notes) >= 3
    for name, code in PROGRAMS.items():
        done = await sandbox.run(Command(("python3", "-c", code), LIMITS))
        seen[name] = done.ended
        if name == "burn":
            seen["cpu_is_measured"] = 0.5 <= done.cpu_s < 0.7
    for name, code in {
        "left": "import os; print(sum(n.isdigit() for n in os.listdir('/proc')) - 1)",
        "uid": "import os; print(os.getuid())",
        "socket": "import socket\ntry: socket.socket()\nexcept OSError: print('refused')",
    }.items():
        done = await sandbox.run(Command(("python3", "-c", code), LIMITS))
        seen[name] = done.stdout.decode().strip()
    await sandbox.close()
    print(json.dumps(seen))


asyncio.run(main())
