"""Hostile submissions through the real judge, each beside honest ones: a sane verdict in bounded
time, and the neighbours' verdicts as ever. Under the outer cap of `conftest.outer_cap`."""

from __future__ import annotations

import time

from agent.judge.verdict import Submission
from tests.judge.conftest import Bench, problem

HIDDEN = "canary-91c7-answer"
ONE = problem((b"1 2\n", b"3\n"), (b"long input 1 2\n", HIDDEN.encode()), time_s=0.5, memory_mb=128)
HONEST = problem((b"1 2\n", b"3\n"), time_s=0.5, memory_mb=128, name="honest")
NEIGHBOUR = """# {}
import time
while time.process_time() < 0.25: pass
print(sum(map(int, input().split())))
"""
SEARCH = """
import os, stat
wanted, found = b"canary-" + b"91c7-answer", ""
for root, _, names in os.walk("/"):
    if root.startswith(("/sys", "/usr/share", "/usr/lib")):
        continue
    for path in (os.path.join(root, name) for name in names):
        try:
            if stat.S_ISREG(os.lstat(path).st_mode):
                with open(path, "rb") as file:
                    found += path if wanted in file.read(100_000) else ""
        except OSError:
            pass
    if time_is_up():
        break
print(found or 3)
"""
SEARCH = "import time\ndef time_is_up(): return time.process_time() > 0.3\n" + SEARCH
HEAD = "".join(
    f"#include <{name}.h>\n" for name in ("stdio", "stdlib", "unistd", "signal", "string", "fcntl")
)
FILL = (
    'int f = open("%s/x", O_CREAT | O_WRONLY, 0600); static char b[1 << 20];'
    ' while (write(f, b, sizeof b) > 0); puts("3");'
)


def c(body: str) -> tuple[str, str]:
    return HEAD + "int main(void) { " + body + " }\n", "c"


def py(body: str) -> tuple[str, str]:
    return body + "\n", "python"


# The verdict of the first test; "AC" means that the trick changed nothing.
HOSTILE: dict[str, tuple[tuple[str, str], set[str]]] = {
    "both streams": (
        py("import os\nb = bytes(65536)\nwhile 1: os.write(1, b); os.write(2, b)"),
        {"OLE"},
    ),
    "memory of many": (
        c("for (int i = 0; i < 20; i++) if (!fork()) for (;;) { char *p = malloc(1 << 20);"
          " if (p) memset(p, 1, 1 << 20); } sleep(100);"),
        {"MLE"},
    ),
    "forks for ever": (c("for (;;) fork();"), {"TLE", "ILE", "RE"}),
    "looks for answers": (py(SEARCH), {"AC"}),
    "links over its files": (
        py("import os\nfor n in ('solution.py', 'solution', 'main'):\n"
           "  try: os.symlink('/etc/passwd', '/work/' + n)\n  except OSError: pass\nprint(3)"),
        {"AC"},
    ),
    "daemon that burns": (
        c('if (!fork()) { setsid(); if (!fork()) for (;;); _exit(0); } puts("3");'),
        {"AC"},
    ),
    "exit handler that burns": (
        (HEAD + 'void f(void) { for (;;); } int main(void) { atexit(f); puts("3"); }', "c"),
        {"TLE"},
    ),
    "exit handler that answers": (
        (HEAD + 'void f(void) { puts("3"); fflush(stdout); _exit(0); }'
         ' int main(void) { atexit(f); puts("4"); return 1; }', "c"),
        {"WA"},
    ),
    "kills its group": (c('puts("3"); fflush(stdout); kill(0, SIGKILL); sleep(5);'), {"RE"}),
    "kills all": (c('puts("3"); fflush(stdout); kill(-1, SIGKILL); return 0;'), {"AC"}),
    "stops itself": (c('kill(0, SIGSTOP); puts("3");'), {"ILE"}),
    "closes everything": (c("for (int i = 0; i < 1024; i++) close(i); return 0;"), {"WA"}),
    "fills /tmp": (c(FILL % "/tmp"), {"MLE", "AC"}),
    "fills /work": (c(FILL % "/work"), {"MLE", "AC"}),
    "10 MB of source": (py("x = '" + "a" * 10_000_000 + "'"), {"CE"}),
    "includes a device": (('#include "/dev/zero"\nint main(void) {}', "c"), {"CE"}),
    "includes the host": (('#include "/etc/shadow"\nint main(void) {}', "c"), {"CE"}),
    "includes the supervisor": (('#include "/proc/1/environ"\nint main(void) {}', "c"), {"CE"}),
    "templates without end": (
        ("template<int N> struct A { typedef typename A<N + 1>::t t; }; A<0>::t x; int main() {}",
         "cpp"),
        {"CE"},
    ),
    "compiles for ever": (
        ("constexpr long f(long n) { long s = 0; for (long i = 0; i < n; i++) s += i; return s; }"
         " constexpr long x = f(1L << 60); int main() {}", "cpp"),
        {"CE"},
    ),
    "macros without end": (
        ("#define A(x) x x x x x x x x x x\n#define B(x) A(A(A(A(x))))\n"
         "int main(void) { int i = 0; B(B(i++;)) }", "c"),
        {"CE"},
    ),
}  # fmt: skip


def test_every_hostile_submission_beside_honest_ones(judge: Bench) -> None:
    start = time.monotonic()
    work = []
    for number, (program, _) in enumerate(HOSTILE.values()):
        work += [(ONE, Submission(*program))]
        work += [(HONEST, Submission(NEIGHBOUR.format(number), "python"))]
    done = judge.beside(work)
    wrong = []
    for (name, (_, allowed)), judgement in zip(HOSTILE.items(), done[::2], strict=True):
        first = judgement.verdict if judgement.verdict == "CE" else judgement.tests[0].verdict
        if judgement.error or first not in allowed:
            wrong.append((name, judgement.verdict, first, judgement.error))
        assert HIDDEN not in judgement.tests[0].message
    assert wrong == []
    assert {judgement.verdict for judgement in done[1::2]} == {"AC"}
    assert time.monotonic() - start < 120
