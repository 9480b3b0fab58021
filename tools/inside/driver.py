"""Keeps one interpreter (bash or Python) alive and runs one piece of code after another in it.

Runs inside the workspace as `python3 -c <this file> bash|python MEMORY_BYTES`. One JSON object a
line on stdin, {"code", "timeout_s"}, is answered by one on stdout:

  output    base64 of what was printed (stdout and stderr as one), at most KEEP bytes of each end
  cut       how many bytes are missing between the two ends
  head      how many bytes of `output` lie before the cut
  ended     "done" | "interrupted" (stopped, state kept) | "killed" (stopped, state lost)
            | "exited" (the interpreter ended by itself, state lost)
  status    exit status, where there is one
  cwd       where the interpreter is now

Standard input of the code is empty. Background jobs go on between calls. What a timed-out piece of
code started is killed, whatever its process group. The code may kill this driver: it runs as the
same user. Whoever started the driver then sees its output end, and starts another.
"""

from __future__ import annotations

import base64
import contextlib
import ctypes
import json
import os
import resource
import select
import shlex
import signal
import subprocess
import sys
import time

KEEP = 64 * 1024
GRACE_S = 0.3

# The Python interpreter: reads {"code", "token"} lines, runs each in one namespace, reports
# "token status" on the descriptor named by argv[1].
PYTHON = r"""
import sys
def _main():
    import ast, json, linecache, os, traceback, types
    control = os.fdopen(os.dup(0), "rb")
    report = int(sys.argv[1])
    os.set_inheritable(report, False)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    sys.stdin = open(0)
    sys.argv = [""]
    sys.path.insert(0, "")
    module = types.ModuleType("__main__")
    module.__builtins__ = __builtins__
    sys.modules["__main__"] = module
    count = 0
    def show(error):
        trace = error.__traceback__
        while trace is not None and not trace.tb_frame.f_code.co_filename.startswith("<call "):
            trace = trace.tb_next
        text = traceback.format_exception(type(error), error, trace)
        sys.stderr.write("".join(text))
    while True:
        try:
            line = control.readline()
        except KeyboardInterrupt:
            continue
        if not line:
            return
        request = json.loads(line)
        count += 1
        name = "<call %d>" % count
        code = request["code"]
        linecache.cache[name] = (len(code), None, code.splitlines(True), name)
        status = 0
        try:
            try:
                tree = ast.parse(code, name)
                last = None
                if tree.body and isinstance(tree.body[-1], ast.Expr):
                    last = ast.Expression(tree.body.pop().value)
                exec(compile(tree, name, "exec"), module.__dict__)
                if last is not None:
                    value = eval(compile(last, name, "eval"), module.__dict__)
                    if value is not None:
                        module.__dict__["_"] = value
                        print(repr(value))
            except SystemExit as stop:
                status = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
                if isinstance(stop.code, str):
                    sys.stderr.write(stop.code + "\n")
            except BaseException as error:
                status = 1
                show(error)
            for stream in (sys.stdout, sys.stderr):
                try:
                    stream.flush()
                except Exception:
                    pass
            os.write(report, ("%s %d\n" % (request["token"], status)).encode())
        except KeyboardInterrupt:
            os.write(report, ("%s 1\n" % request["token"]).encode())
_main()
"""


class Interpreter:
    """One bash or Python process with its pipes."""

    def __init__(self, kind: str, memory_bytes: int, cwd: str) -> None:
        self.kind = kind
        self.calls = 0
        output_read, output_write = os.pipe()
        report_read, self._report = os.pipe()
        self.output, self.report = output_read, report_read
        os.set_blocking(self.output, False)
        os.set_blocking(self.report, False)
        if kind == "bash":
            argv = ["bash", "--noprofile", "--norc", "--noediting", "-i"]
        else:
            argv = [sys.executable, "-u", "-c", PYTHON, str(self._report)]

        def limit() -> None:
            if memory_bytes:  # of each process: it fails to allocate, and the rest lives on
                resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        env = dict(os.environ, PS1="", PS2="", HISTFILE="", PAGER="cat", GIT_PAGER="cat")
        env["TERM"] = "dumb"
        self.process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=output_write,
            stderr=output_write,
            pass_fds=(self._report,),
            start_new_session=True,
            preexec_fn=limit,
            cwd=cwd,
            env=env,
        )
        os.close(output_write)
        if kind == "bash":
            # -i makes SIGINT come back to the prompt; its complaint about the terminal is dropped.
            self._write(f"set +H; set +m; unset HISTFILE; echo ready >&{self._report}\n".encode())
            wait_readable(self.report, 10.0)
            drain(self.report)
            drain(self.output)

    def _write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(data)
            self.process.stdin.flush()

    def send(self, code: str) -> str:
        """Starts the code; its end is reported with the returned token."""
        self.calls += 1
        token = f"{os.getpid()}.{self.calls}.{os.urandom(4).hex()}"
        if self.kind == "bash":
            quoted = shlex.quote(code.replace("\0", ""))
            report = f"printf '%s %d\\n' {token} $? >&{self._report}"
            self._write(f"eval {quoted} </dev/null; {report}\n".encode("utf-8", "replace"))
        else:
            self._write((json.dumps({"code": code, "token": token}) + "\n").encode())
        return token

    def interrupt(self, token: str) -> None:
        """As Ctrl-C does. bash drops the rest of its line, so the report is asked for again."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process.pid, signal.SIGINT)
        if self.kind == "bash":
            self._write(f"\n\nprintf '%s 130\\n' {token} >&{self._report}\n".encode())

    def cwd(self) -> str:
        try:
            return os.readlink(f"/proc/{self.process.pid}/cwd").replace(" (deleted)", "")
        except OSError:
            return ""

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for descriptor in (self.output, self.report, self._report):
            os.close(descriptor)
        if self.process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.close()


class Kept:
    """Both ends of a long output."""

    def __init__(self) -> None:
        self.head, self.tail, self.total = b"", b"", 0

    def add(self, data: bytes) -> None:
        self.total += len(data)
        room = KEEP - len(self.head)
        if room > 0:
            self.head += data[:room]
            data = data[room:]
        if data:
            self.tail = (self.tail + data)[-KEEP:]


def wait_readable(descriptor: int, timeout_s: float) -> bool:
    return bool(select.select([descriptor], [], [], max(0.0, timeout_s))[0])


def drain(descriptor: int) -> bytes:
    """What can be read now, at most a megabyte."""
    data = b""
    with contextlib.suppress(BlockingIOError):
        while len(data) < 1 << 20:
            part = os.read(descriptor, 1 << 16)
            if not part:
                break
            data += part
    return data


def descendants() -> dict[int, str]:
    """pid -> start time of every process below this one (we are their reaper)."""
    parents: dict[int, tuple[int, str]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    fields = file.read().rpartition(b")")[2].split()
            except OSError:
                continue
            if fields[0] != b"Z":
                parents[int(name)] = (int(fields[1]), fields[19].decode())
    me = os.getpid()
    found: dict[int, str] = {}
    grown = True
    while grown:
        grown = False
        for pid, (parent, started) in parents.items():
            if pid not in found and (parent == me or parent in found):
                found[pid] = started
                grown = True
    return found


def kill_new(before: dict[int, str], spare: int, number: int) -> bool:
    """Signals every process that the code started; True when there was one."""
    any_left = False
    for pid, started in descendants().items():
        if pid != spare and before.get(pid) != started:
            any_left = True
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)
    return any_left


def reap(spare: int) -> None:
    """Collects dead orphans; the interpreter itself is left to subprocess."""
    for pid in [int(name) for name in os.listdir("/proc") if name.isdigit()]:
        if pid != spare:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)


class Driver:
    """Runs one piece of code after another."""

    def __init__(self, kind: str, memory_bytes: int) -> None:
        self.kind, self.memory_bytes = kind, memory_bytes
        self.cwd = os.getcwd()
        self.interpreter = Interpreter(kind, memory_bytes, self.cwd)

    def run(self, code: str, timeout_s: float) -> dict[str, object]:
        reap(self.interpreter.process.pid)
        before = descendants()
        kept = Kept()
        token = self.interpreter.send(code)
        ended, status = "done", self._wait(token, timeout_s, kept)
        if status is None and self.interpreter.process.poll() is None:
            ended = "interrupted"
            status = self._interrupt(token, before, kept)
        if self.interpreter.process.poll() is not None:
            ended, status = "exited", self.interpreter.process.returncode
        elif status is None:
            ended = "killed"
        else:
            self.cwd = self.interpreter.cwd() or self.cwd
        kept.add(drain(self.interpreter.output))
        if ended in ("killed", "exited"):
            self._restart()
        if ended != "done":
            self._kill_new(before)
        return {
            "output": base64.b64encode(kept.head + kept.tail).decode(),
            "head": len(kept.head),
            "cut": kept.total - len(kept.head) - len(kept.tail),
            "ended": ended,
            "status": status,
            "cwd": self.cwd,
        }

    def _wait(self, token: str, timeout_s: float, kept: Kept) -> int | None:
        """The status once the code has ended; None on timeout or when the interpreter is gone."""
        interpreter = self.interpreter
        deadline = time.monotonic() + timeout_s
        reports = b""
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            # Woken every 50 ms: when the interpreter dies, a child may still hold its pipes.
            gone = interpreter.process.poll() is not None
            ready = select.select(
                [interpreter.report, interpreter.output], [], [], 0 if gone else min(left, 0.05)
            )[0]
            if interpreter.output in ready:
                kept.add(drain(interpreter.output))
            if interpreter.report in ready:
                reports += drain(interpreter.report)
                for line in reports.split(b"\n")[:-1]:
                    words = line.split()
                    if len(words) == 2 and words[0] == token.encode():
                        return int(words[1])
            if gone:
                return None

    def _interrupt(self, token: str, before: dict[int, str], kept: Kept) -> int | None:
        """Stops the code but not the interpreter, if it lets itself be interrupted."""
        me = self.interpreter.process.pid
        for number in (signal.SIGINT, signal.SIGKILL, signal.SIGKILL):
            kill_new(before, me, number)
            self.interpreter.interrupt(token)
            status = self._wait(token, GRACE_S, kept)
            if status is not None or self.interpreter.process.poll() is not None:
                return status
        return None

    def _kill_new(self, before: dict[int, str]) -> None:
        """Stops first, then kills, so that what forks fast does not outrun us."""
        me = self.interpreter.process.pid
        for _ in range(20):
            kill_new(before, me, signal.SIGSTOP)
            if not kill_new(before, me, signal.SIGKILL):
                return
            time.sleep(0.01)
            reap(me)

    def _restart(self) -> None:
        self.interpreter.close()
        for folder in (self.cwd, "/work", "/"):
            if os.path.isdir(folder):
                self.cwd = folder
                break
        self.interpreter = Interpreter(self.kind, self.memory_bytes, self.cwd)


def main() -> None:
    """Serves requests until stdin ends."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        os.dup2(null, descriptor)
    libc = ctypes.CDLL(None)
    libc.prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: orphans come to us, so we find them
    driver = Driver(sys.argv[1], int(sys.argv[2]))
    for line in requests:
        request = json.loads(line)
        reply = driver.run(request["code"], float(request["timeout_s"]))
        replies.write(json.dumps(reply).encode() + b"\n")
        replies.flush()


if __name__ == "__main__":
    main()
