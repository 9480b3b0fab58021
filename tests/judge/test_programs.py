"""Programs with pinned verdicts, grouped by what judges are known to get wrong. Some are hostile:
they run under the sandbox's limits and under the outer cap of `conftest.outer_cap`."""

from __future__ import annotations

import pytest

from agent.judge.verdict import Judgement, Submission, Verdict
from agent.sandbox import Ended, Limits
from tests.judge.conftest import SUM, Bench, problem

ONE = problem((b"1 2\n", b"3\n"), memory_mb=64)
CPP_SUM = (
    "#include <iostream>\nint main(){ long long a, b; std::cin >> a >> b; std::cout << a + b; }\n"
)
C_HEAD = (
    "#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "#include <unistd.h>\n#include <sys/wait.h>\n#include <fcntl.h>\n"
)


def c(body: str) -> tuple[str, str]:
    return C_HEAD + "int main(void) { " + body + " }\n", "c"


def py(body: str) -> tuple[str, str]:
    return body + "\n", "python"


def only(judgement: Judgement) -> Verdict:
    assert judgement.error == "", judgement.error
    return judgement.verdict


MEMORY = {
    "array above the limit": (
        C_HEAD + "static char a[600 << 20]; int main(void) { memset(a, 1, sizeof a);"
        ' printf("%d", a[getpid()]); }',
        "c",
    ),
    "heap that grows": py("x = []\nwhile True: x.append(bytearray(1 << 20))"),
    "heap that grows, error caught": py(
        "x = []\ntry:\n  while True: x.append(bytearray(1 << 20))\nexcept MemoryError: print(3)"
    ),
    "a child's memory counts": py(
        "import os\nif os.fork() == 0:\n  x = []\n  while True: x.append(bytearray(1 << 20))\n"
        "os.wait(); print(3)"
    ),
    "list above the limit": py("x = [0] * 10**8\nprint(3)"),
    "files in /tmp count": py(
        "f = open('/tmp/x', 'wb')\nfor _ in range(200): f.write(bytes(1 << 20))\nf.flush()\n"
        "print(3)"
    ),
}


@pytest.mark.parametrize("name", MEMORY)
def test_memory(judge: Bench, name: str) -> None:
    verdict = only(judge(ONE, *MEMORY[name]))
    # A full /tmp may be told to the program before its memory is at an end.
    assert verdict in (("MLE", "RE") if "/tmp" in name else ("MLE",))


def test_memory_limit_holds_from_the_first_run_and_can_rise(judge: Bench) -> None:
    source = "x = [1] * 10**7\nprint(3)"
    for megabytes, verdict in ((16, "MLE"), (512, "AC"), (16, "MLE")):
        found = problem((b"1 2\n", b"3\n"), memory_mb=megabytes, name=f"m{megabytes}")
        assert only(judge(found, source)) == verdict


def test_address_space_is_not_memory(judge: Bench) -> None:
    source = (
        "import threading\nthreading.stack_size(1 << 28)\n"
        "t = threading.Thread(target=lambda: print(3))\nt.start(); t.join()"
    )
    assert only(judge(problem((b"1 2\n", b"3\n"), memory_mb=256), source)) == "AC"


DEATHS = {
    "null pointer": (c("*(volatile int *)0 = 1;"), "SIGSEGV"),
    "division by zero": (c("volatile int z = 0; return 7 / z;"), "SIGFPE"),
    "abort": (c("abort();"), "SIGABRT"),
    "kills itself": (c("kill(getpid(), SIGKILL); puts(\"3\");"), "SIGKILL"),
    "terminates itself": (c("raise(SIGTERM); puts(\"3\");"), "SIGTERM"),
    "claims a limit": (c("raise(SIGXCPU); puts(\"3\");"), "SIGXCPU"),
    "exit code": (c("puts(\"3\"); fflush(stdout); return 1;"), "exit code 1"),
    "code of a kill": (c("puts(\"3\"); fflush(stdout); _exit(137);"), "exit code 137"),
    "validator's exit code": (c("puts(\"4\"); fflush(stdout); _exit(42);"), "exit code 42"),
    "exception": (py("print(3)\n1 / 0"), "exit code 1"),
    "endless recursion": (
        (C_HEAD + "int f(int n) { volatile char a[4096]; a[0] = n; return f(n + 1) + a[0]; }"
         "int main(void) { return f(0); }", "c"),
        None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DEATHS)
def test_deaths_are_run_time_errors(judge: Bench, name: str) -> None:
    (source, language), told = DEATHS[name]
    judgement = judge(ONE, source, language)
    if told is None:  # the stack is as large as memory
        assert only(judgement) in ("RE", "MLE")
        return
    assert only(judgement) == "RE"
    assert judgement.tests[0].message.startswith(
        f"killed by {told}" if told.startswith("SIG") else told
    )


OUTPUT = {
    "more than a pipe holds": (py("print('x' * 300_000 + ' 3')"), "WA"),
    "20 MB on stderr": (py("import sys\nsys.stderr.write('e' * 20_000_000)\nprint(3)"), "AC"),
    "endless output": (c("char a[9999]; memset(a, 120, 9999); for (;;) write(1, a, 9999);"), "OLE"),
    "right, then many tabs": (c("puts(\"3\"); for (int i = 7e7; i; i--) putchar(9);"), "OLE"),
    "right, then a NUL": (py("print('3\\0')"), "WA"),
    "nothing": (py("pass"), "WA"),
    "verdict text": (py("import sys\nprint('AC')\nprint('accepted', file=sys.stderr)"), "WA"),
    "stdout closed": (py("import os\nos.close(1)"), "WA"),
}  # fmt: skip


@pytest.mark.parametrize("name", OUTPUT)
def test_output(judge: Bench, name: str) -> None:
    (source, language), verdict = OUTPUT[name]
    assert only(judge(ONE, source, language)) == verdict


def test_large_right_output(judge: Bench) -> None:
    answer = b"x" * 300_000 + b"\n"
    assert only(judge(problem((b"1\n", answer)), "print('x' * 300_000)")) == "AC"


PROCESSES = {
    # The verdict of a bomb is that of its first process: it hangs, burns time or fails to fork.
    "fork bomb": (c("for (;;) fork();"), ("TLE", "ILE", "RE")),
    "daemon": (
        c("if (!fork()) { setsid(); if (!fork()) { sleep(60); } _exit(0); } wait(0); puts(\"3\");"),
        ("AC",),
    ),
    "child holds stdout": (c("if (!fork()) { sleep(60); } puts(\"3\");"), ("AC",)),
    "child burns time": (
        c("if (!fork()) { for (;;); } sleep(60);"),
        ("TLE",),
    ),
    "many threads": (
        py("import threading, time\ntry:\n  while True: threading.Thread(target=time.sleep,"
           " args=(60,), daemon=True).start()\nexcept RuntimeError: print(3)\nimport os\n"
           "import sys; sys.stdout.flush(); os._exit(0)"),
        ("AC", "MLE"),
    ),
    "stops its parent, kills all": (
        c("kill(getppid(), SIGSTOP); kill(-1, SIGKILL); sleep(60);"),
        ("ILE", "RE"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PROCESSES)
def test_processes(judge: Bench, name: str) -> None:
    (source, language), verdicts = PROCESSES[name]
    judgement = judge(ONE, source, language)
    assert only(judgement) in verdicts
    assert judgement.tests[0].wall_s < 30
    assert only(judge(SUM, CPP_SUM, "cpp")) == "AC", "the next submission is unharmed"


TIME = {
    "loop": (c("for (;;);"), "TLE"),
    "sleep": (c("sleep(100);"), "ILE"),
    "waits for input": (py("import sys\nsys.stdin.read()\nimport signal; signal.pause()"), "ILE"),
    "ignores signals": (
        c("for (int s = 1; s < 65; s++) signal(s, SIG_IGN); for (;;);"),
        "TLE",
    ),
}


@pytest.mark.parametrize("name", TIME)
def test_time(judge: Bench, name: str) -> None:
    (source, language), verdict = TIME[name]
    found = problem((b"1 2\n", b"3\n"), time_s=0.5)
    assert only(judge(found, source, language)) == verdict


def test_slightly_too_slow_is_too_slow(judge: Bench) -> None:
    """0.3 s above the limit, with the right answer: measured again alone, and still TLE."""
    source = "import time\nwhile time.process_time() < 0.8: pass\nprint(3)"
    judgement = judge(problem((b"1 2\n", b"3\n"), time_s=0.5), source)
    assert only(judgement) == "TLE"
    test = judgement.tests[0]
    assert len(test.cpu_samples) == 3
    assert test.cpu_s == min(test.cpu_samples)
    assert max(test.cpu_samples) < 1.1


PYTHON_INPUT = {
    "input": "a, b = map(int, input().split())",
    "readline": "import sys\na, b = map(int, sys.stdin.readline().split())",
    "buffer": "import sys\na, b = map(int, sys.stdin.buffer.readline().split())",
    "lines": "import sys\nfor line in sys.stdin: a, b = map(int, line.split())",
    "open": "a, b = map(int, open(0).read().split())",
    "os.read": "import os\na, b = map(int, os.read(0, 100).split())",
    "global": "cnt = 0\ndef f():\n  global cnt\n  cnt += 1\nf()\na, b = map(int, input().split())",
}


@pytest.mark.parametrize("name", PYTHON_INPUT)
def test_every_way_to_read_works(judge: Bench, name: str) -> None:
    assert only(judge(SUM, PYTHON_INPUT[name] + "\nprint(a + b)")) == "AC"


def test_main_guard_and_raw_output(judge: Bench) -> None:
    source = (
        "import sys\ndef main():\n"
        "    sys.stdout.buffer.write(b'%d' % sum(map(int, input().split())))\n"
        "if __name__ == '__main__':\n    main()\nelse:\n    print('no')\nx = 1"
    )
    assert only(judge(SUM, source)) == "AC"


def test_large_integers_print(judge: Bench) -> None:
    found = problem((b"\n", b"1" + b"0" * 5000))
    assert only(judge(found, "print(10**5000)")) == "AC"


def test_hash_seed_is_fixed(judge: Bench) -> None:
    limits = Limits(cpu_s=2, idle_s=5, memory_bytes=256 << 20)
    seen = {judge.execute("print(hash('x'))", "python", b"", limits).stdout for _ in range(3)}
    assert len(seen) == 1


COMPILE = {
    "syntax": ("int main( {", "cpp"),
    "python syntax": ("def f(:\n  pass", "python"),
    "reads a device": ('#include "/dev/zero"\nint main(){}', "cpp"),
    "endless templates": (
        "template<int N> struct A { static constexpr int v = A<N + 1>::v + A<N + 2>::v; };"
        "int main() { return A<0>::v; }",
        "cpp",
    ),
    "huge object": ("char a[1ull << 33] = {1}; int main() { return a[1]; }", "cpp"),
    "empty": ("", "cpp"),
    "spaces": (" \n", "python"),
    "too long": ("#" * (10 << 20), "python"),
    "binary": ("\0\x7fELF\x01\x02" * 50, "cpp"),
    "binary python": ("\0\x7fELF\x01\x02" * 50, "python"),
    "surrogate": ("x = '\ud800'\n]", "python"),
}


@pytest.mark.parametrize("name", COMPILE)
def test_what_does_not_compile(judge: Bench, name: str) -> None:
    judgement = judge(ONE, *COMPILE[name])
    assert only(judgement) == "CE"
    assert judgement.outcome == "correctness_failure"
    assert judgement.any_wrong == "correctness_failure"
    assert judgement.compile_output
    assert len(judgement.compile_output) < 20_000
    assert not any(judgement.coverage.values())


SPYING = """
import os, sys
WORD = b"SEC" + b"RET"
found = []
for top in "/work /tmp /run /home /root /var /opt /mnt /dev/shm /proc/1".split():
    for folder, folders, files in os.walk(top):
        if folder.startswith(("/proc/1/task/", "/var/lib/")):
            folders.clear()
        for name in files:
            path = os.path.join(folder, name)
            try:
                with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
                    if WORD in (file.read(1 << 16) or b""):
                        found.append(path)
            except OSError:
                pass
print(found or 3)
"""


def test_no_answer_and_no_other_test_is_anywhere(judge: Bench) -> None:
    """Answers and other tests' inputs hold a word that the submission looks for everywhere."""
    found = problem((b"SECRET 1\n", b"SECRET-1\n"), (b"SECRET 22\n", b"SECRET-2\n"), time_s=9.0)
    judgement = judge(found, SPYING, all_tests=True)
    for test in judgement.tests:
        assert test.verdict == "WA"
        assert "SECRET-" not in test.message.split("got")[1]
        assert "got '3'" in test.message, test.message


def test_nothing_is_left_for_the_next_test(judge: Bench) -> None:
    source = (
        "import os, pathlib\nleft = []\nfor name in ('/tmp/left', '/work/left', '/dev/shm/left'):\n"
        "    p = pathlib.Path(name)\n    if p.exists(): left.append(name)\n"
        "    try: p.write_text('x')\n    except OSError: pass\nprint(left or 3)"
    )
    found = problem((b"1\n", b"3\n"), (b"22\n", b"3\n"))
    assert only(judge(found, source)) == "AC"
    assert only(judge(found, source)) == "AC"


def test_equal_names_do_not_mix(judge: Bench) -> None:
    """Different programs judged side by side run their own code."""
    tests = [problem((b"\n", b"%d\n" % i), name=f"n{i}") for i in range(6)]
    sources = [f"print({i})" for i in range(6)]
    for found, source in zip(tests, sources, strict=True):
        assert only(judge(found, source)) == "AC"
    wrong = judge.many(tests[0], [Submission(source, "python") for source in sources])
    assert [j.verdict for j in wrong] == ["AC", *["WA"] * 5]


def test_equal_submissions_at_once_are_judged_once(judge: Bench) -> None:
    before = judge.judge.compiler.rate.asked
    found = judge.many(SUM, [Submission(CPP_SUM, "cpp")] * 8)
    assert judge.judge.compiler.rate.asked == before + 1
    assert [j.verdict for j in found] == ["AC"] * 8


def test_stops_early_unless_asked(judge: Bench) -> None:
    found = problem((b"1 2\n", b"3\n"), (b"100000 20\n", b"0\n"), (b"100000 20000\n", b"120000\n"))
    source = "print(sum(map(int, input().split())))"
    judgement = judge(found, source)
    assert [t.verdict for t in judgement.tests] == ["AC", "WA", "SK"]
    assert judgement.coverage["1"]
    assert not judgement.coverage["full"]
    assert judgement.any_wrong is None
    full = judge(found, source, all_tests=True)
    assert [t.verdict for t in full.tests] == ["AC", "WA", "AC"]
    assert full.any_wrong == "correctness_failure"
    assert full.coverage == judgement.coverage


def test_hidden_tests_say_nothing_of_the_answer(judge: Bench) -> None:
    from dataclasses import replace

    hidden = tuple(replace(t, sample=False) for t in SUM.tests)
    found = replace(SUM, tests=hidden)
    assert judge(found, "print(9)").tests[0].message == ""
    assert "expected '3'" in judge(found, "print(9)", explain=True).tests[0].message


def test_run_without_judging(judge: Bench) -> None:
    limits = Limits(cpu_s=2, idle_s=5, memory_bytes=256 << 20)
    execution = judge.execute(CPP_SUM, "cpp", b"20 22\n", limits)
    assert (execution.stdout, execution.ended) == (b"42", Ended.EXITED)
