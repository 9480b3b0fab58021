"""What a sandbox measures, limits, keeps and forgets; the same on every backend."""

from __future__ import annotations

import asyncio

import pytest

from agent.sandbox import Backend, Command, Ended, Limits, Sandbox, SandboxError

LIMITS = Limits(cpu_s=2, idle_s=2, memory_bytes=256 << 20)


def python(code: str, **options: object) -> Command:
    limits = options.pop("limits", LIMITS)
    return Command(("python3", "-c", code), limits, **options)  # type: ignore[arg-type]


async def test_input_and_both_outputs(sandbox: Sandbox) -> None:
    done = await sandbox.run(
        python("import sys; sys.stdout.write(input()); sys.stderr.write('e')", stdin=b"hello\n")
    )
    assert (done.ended, done.exit_code, done.stdout, done.stderr) == (
        Ended.EXITED,
        0,
        b"hello",
        b"e",
    )
    assert 0 < done.cpu_s < 1
    assert done.cpu_s < done.wall_s + 0.01
    assert 1 << 20 < done.peak_bytes < 64 << 20


async def test_large_outputs_and_inputs_do_not_block(sandbox: Sandbox) -> None:
    data = bytes(range(256)) * (20 << 12)
    code = (
        "from sys import *; d = stdin.buffer.read(); stderr.buffer.write(d); stdout.buffer.write(d)"
    )
    done = await sandbox.run(python(code, stdin=data))
    assert done.ended == Ended.EXITED
    assert done.stdout == data
    assert (done.stderr, done.stderr_bytes) == (data[: 64 << 10], len(data))


async def test_every_way_to_read_the_input(sandbox: Sandbox) -> None:
    for code in (
        "print(open(0).read())",
        "import os; os.write(1, os.read(0, 99))",
        "import sys; sys.stdout.buffer.write(sys.stdin.buffer.readline())",
        "import sys; [print(line, end='') for line in sys.stdin]",
        "import sys; sys.stdin.seek(0); print(sys.stdin.read())",
        "print(open('/dev/stdin').read())",
    ):
        done = await sandbox.run(python(code, stdin=b"42\n"))
        assert done.stdout.strip() == b"42", code


async def test_cpu_limit_is_prompt_and_soft_overrun_is_seen(sandbox: Sandbox) -> None:
    short = Limits(cpu_s=0.3, idle_s=5, memory_bytes=256 << 20)
    done = await sandbox.run(python("while True: pass", limits=short))
    assert done.ended == Ended.CPU_LIMIT
    assert 0.3 <= done.cpu_s < 0.36


async def test_two_threads_burn_twice(sandbox: Sandbox) -> None:
    code = "import os\nfor _ in range(2):\n  if os.fork() == 0:\n    while True: pass\nos.wait()"
    done = await sandbox.run(python(code))
    assert done.ended == Ended.CPU_LIMIT


async def test_idle_limit(sandbox: Sandbox) -> None:
    done = await sandbox.run(python("import time; time.sleep(60)"))
    assert done.ended == Ended.IDLE_LIMIT
    assert 2 <= done.wall_s - done.wait_s < 4


async def test_starved_program_is_not_idle(backend: Backend, sandbox: Sandbox) -> None:
    """Eight copies share the cores: each waits far longer than the idle limit, none is idle."""
    others = [await backend.start(sandbox.spec) for _ in range(3)]  # type: ignore[attr-defined]
    tight = Limits(cpu_s=3, idle_s=0.7, memory_bytes=256 << 20)
    code = "import time\nwhile time.process_time() < 0.7: pass"
    runs = [one.run(python(code, limits=tight)) for one in (sandbox, *others)]
    try:
        for done in await asyncio.gather(*runs):
            assert (done.ended, done.exit_code) == (Ended.EXITED, 0)
            assert 0.7 <= done.cpu_s < 0.9
    finally:
        await asyncio.gather(*(one.close() for one in others))


async def test_memory_limit_moves_up_and_down(sandbox: Sandbox) -> None:
    code = "x = bytearray(60 << 20); print(len(x))"
    for megabytes, ended in (
        (32, "memory_limit"),
        (256, "exited"),
        (32, "memory_limit"),
        (128, "exited"),
    ):
        limits = Limits(cpu_s=2, idle_s=2, memory_bytes=megabytes << 20)
        done = await sandbox.run(python(code, limits=limits))
        assert done.ended == ended, megabytes
        assert done.peak_bytes <= megabytes << 20


async def test_earlier_files_do_not_count(sandbox: Sandbox) -> None:
    """What a command left in /work is not charged to the next."""
    await sandbox.run(python("open('big', 'wb').write(bytes(100 << 20))"))
    small = Limits(cpu_s=2, idle_s=2, memory_bytes=48 << 20)
    done = await sandbox.run(python("print(1)", limits=small))
    assert (done.ended, done.stdout) == (Ended.EXITED, b"1\n")
    assert done.peak_bytes < 32 << 20


async def test_a_limit_above_the_sandbox_is_refused(sandbox: Sandbox) -> None:
    with pytest.raises(SandboxError, match="above the sandbox"):
        await sandbox.run(python("1", limits=Limits(1, 1, 64 << 30)))


async def test_address_space_and_stack_are_not_limited(sandbox: Sandbox) -> None:
    code = (
        "import threading, mmap\nm = mmap.mmap(-1, 8 << 30)\nthreading.stack_size(1 << 28)\n"
        "t = threading.Thread(target=lambda: print('ran'))\nt.start()\nt.join()"
    )
    done = await sandbox.run(python(code))
    assert (done.ended, done.stdout) == (Ended.EXITED, b"ran\n")


async def test_output_limit_counts_and_can_be_lifted(sandbox: Sandbox) -> None:
    code = "import os\nfor _ in range(64): os.write(1, b'x' * 65536)"
    for kill, ended in ((True, Ended.OUTPUT_LIMIT), (False, Ended.EXITED)):
        limits = Limits(2, 2, 256 << 20, stdout_bytes=1000, kill_on_stdout_limit=kill)
        done = await sandbox.run(python(code, limits=limits))
        assert (done.ended, done.stdout) == (ended, b"x" * 1000)
        assert done.stdout_bytes > 1000
    assert done.stdout_bytes == 64 * 65536


async def test_result_descriptor_and_readonly_work(sandbox: Sandbox) -> None:
    await sandbox.put({"deep/er/data": b"data"})
    code = (
        "import os\nos.write(3, open('deep/er/data', 'rb').read())\n"
        "try: open('new', 'w'); print('written')\nexcept OSError as e: print(e.strerror)"
    )
    done = await sandbox.run(python(code, result_fd=True, readonly_work=True))
    assert (done.result, done.stdout) == (b"data", b"Read-only file system\n")
    done = await sandbox.run(python("import os\ntry: os.fstat(3)\nexcept OSError: print('none')"))
    assert done.stdout == b"none\n"


async def test_what_cannot_be_executed(sandbox: Sandbox) -> None:
    for argv, cwd in ((("nowhere",), "/work"), (("/work",), "/work"), (("true",), "/nowhere")):
        done = await sandbox.run(Command(argv, LIMITS, cwd=cwd))
        assert (done.ended, done.exit_code) == (Ended.EXITED, 127)
        assert b"cannot execute" in done.stderr


async def test_environment_is_ours_alone(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "1")
    done = await sandbox.run(Command(("/usr/bin/env",), LIMITS, env={"ADDED": "x y"}))
    names = {line.split(b"=")[0] for line in done.stdout.splitlines()}
    assert names == {b"PATH", b"HOME", b"TMPDIR", b"LANG", b"USER", b"ADDED"}


async def test_fresh_forgets_and_living_keeps(sandbox: Sandbox) -> None:
    write = "open('/tmp/a', 'w').write('1'); open('/work/b', 'w').write('2')"
    await sandbox.run(python(write, fresh=False))
    await sandbox.run(Command(("bash", "-c", "sleep 100 & echo started"), LIMITS, fresh=False))
    look = "import os; print(os.path.exists('/tmp/a'), os.path.exists('/work/b'))"
    assert (await sandbox.run(python(look, fresh=False))).stdout == b"True True\n"
    count = "import os; print(sum(n.isdigit() for n in os.listdir('/proc')))"
    assert int((await sandbox.run(python(count, fresh=False))).stdout) >= 2
    assert (await sandbox.run(python(look))).stdout == b"False True\n"
    await sandbox.reset()
    assert (await sandbox.run(python(look))).stdout == b"False False\n"


async def test_a_background_child_does_not_delay_the_end(sandbox: Sandbox) -> None:
    for fresh in (True, False):
        done = await sandbox.run(Command(("bash", "-c", "sleep 60 & echo x"), LIMITS, fresh=fresh))
        assert (done.ended, done.stdout) == (Ended.EXITED, b"x\n")
        assert done.wall_s < 1.5


async def test_process_streams_both_ways(sandbox: Sandbox) -> None:
    process = await sandbox.start(Command(("cat",), LIMITS, stdin=b"first\n", fresh=False))
    assert await process.read() == b"first\n"
    other = await sandbox.run(python("print('beside')", fresh=False))
    assert other.stdout == b"beside\n"
    await process.write(b"second\n")
    assert await process.read() == b"second\n"
    await process.close_stdin()
    assert await process.read() == b""
    assert (await process.wait()).exit_code == 0
    with pytest.raises(BrokenPipeError):
        await process.write(b"x")


async def test_process_takes_more_than_a_window(sandbox: Sandbox) -> None:
    data = bytes(3 << 20)
    process = await sandbox.start(Command(("sha256sum",), LIMITS))
    await process.write(data)
    await process.close_stdin()
    import hashlib

    assert (await process.wait()).stdout.split()[0].decode() == hashlib.sha256(data).hexdigest()


async def test_kill_and_cancel(sandbox: Sandbox) -> None:
    long = Limits(100, 100, 256 << 20)
    process = await sandbox.start(Command(("sleep", "100"), long, fresh=False))
    await process.kill()
    await process.kill()
    assert (await process.wait()).ended == Ended.KILLED
    task = asyncio.create_task(sandbox.run(Command(("sleep", "100"), long)))
    await asyncio.sleep(0.3)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    left = await sandbox.run(
        python("import os; print(sum(n.isdigit() for n in os.listdir('/proc')))")
    )
    assert left.stdout == b"1\n"


async def test_get_says_why_not(sandbox: Sandbox) -> None:
    await sandbox.put({"a": b"x" * 100, "e": b""})
    assert await sandbox.get("e") == b""
    with pytest.raises(FileNotFoundError):
        await sandbox.get("b")
    with pytest.raises(ValueError, match="larger"):
        await sandbox.get("a", max_bytes=99)
    for path in ("../etc/passwd", "/etc/passwd", "a/../b", "", "a//b", "x\0y"):
        with pytest.raises(ValueError, match="plain path"):
            await sandbox.get(path)
    await sandbox.put({"dir/x": b""})
    with pytest.raises(ValueError, match="regular"):
        await sandbox.get("dir")
    with pytest.raises(ValueError, match="cannot write"):
        await sandbox.put({"dir": b""})


async def test_a_full_disk_is_the_callers_trouble(sandbox: Sandbox) -> None:
    with pytest.raises(ValueError, match="No space"):
        await sandbox.put({"big": bytes(300 << 20)})
    await sandbox.reset()
    await sandbox.put({"small": b"x"})


async def test_closed_sandbox_says_so(backend: Backend, sandbox: Sandbox) -> None:
    await sandbox.close()
    await sandbox.close()
    assert sandbox.broken
    with pytest.raises(SandboxError, match="closed"):
        await sandbox.run(python("1"))
