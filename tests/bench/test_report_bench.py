"""How long and how large a report on many attempts is. Prints; asserts only that it works."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.report import synthetic

_MEASURE = textwrap.dedent(
    """
    import resource, sys, time
    from pathlib import Path
    from agent.report import render
    from agent.report.build import build
    from agent.report.combine import load

    start = time.perf_counter()
    data = load([Path(sys.argv[1])])
    loaded = time.perf_counter()
    document = build(data)
    built = time.perf_counter()
    page = render.html(document)
    done = time.perf_counter()
    used = resource.getrusage(resource.RUSAGE_SELF)
    # Not ru_maxrss: that starts with what the process that forked this one held.
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    peak, cpu = int(status["VmHWM"].split()[0]) / 1024, used.ru_utime + used.ru_stime
    print(loaded - start, built - loaded, done - built, cpu, peak, len(page) / 1e6)
    """
)


def _measure(folder: Path) -> list[float]:
    """Seconds to read, compute, render; CPU seconds; peak MiB; page MB. In its own process."""
    out = subprocess.run(
        [sys.executable, "-c", _MEASURE, str(folder)], capture_output=True, text=True, check=True
    ).stdout
    return [float(word) for word in out.split()]


@pytest.mark.bench
@pytest.mark.timeout(900)
def test_report_speed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    alphas = tuple(-0.5 + 0.2 * i for i in range(11))
    rows = []
    for problems, n in ((30, 10), (150, 20), (150, 202)):
        world = synthetic.frontier_world(alphas, problems=problems)
        folder = tmp_path / f"{problems}x{n}"
        synthetic.write(folder, world, n=n, transcripts=False)
        rows.append((problems * n * 33, *_measure(folder)))
    with capsys.disabled():
        heads = ("read s", "compute s", "render s", "CPU s", "peak MiB", "page MB", "us/attempt")
        print("\n  attempts", *(f"{head:>10}" for head in heads), " ratio")
        for count, read, compute, render, cpu, peak, page in rows:
            each = (read + compute + render) / count * 1e6
            ratio = (read + compute + render) / sum(rows[0][1:4])
            values = (read, compute, render, cpu, peak, page, each)
            print(f"{count:10,}", *(f"{value:10.2f}" for value in values), f"{ratio:6.1f}")
    assert all(page < 5 for *_, page in rows)


@pytest.mark.bench
def test_viewer_speed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import time

    from agent.report.view import queries
    from agent.report.view.queries import Folder

    alphas = tuple(-0.5 + 0.2 * i for i in range(11))
    world = synthetic.frontier_world(alphas, problems=150)
    synthetic.write(tmp_path / "a", world, n=20, tests=False)
    run = tmp_path / "a"
    calls = {
        "list of runs": lambda: queries.overview(Folder(tmp_path)),
        "grid": lambda: queries.grid(run),
        "first page": lambda: queries.attempts(run, {}, 0),
        "rare filter": lambda: queries.attempts(run, {"verdict": "CE"}, 0),
        "one attempt": lambda: queries.attempt(run, 50_000),
    }
    with capsys.disabled():
        print("\n  viewer on 99,000 attempts, seconds a call:")
        for name, call in calls.items():
            start = time.perf_counter()
            assert call() is not None
            print(f"  {name:14} {time.perf_counter() - start:.3f}")
