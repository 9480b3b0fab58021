"""How fast a LiveCodeBench-like file loads. FRONTIER_AGENT_BENCH_MB=1000 for the full size."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.bench.lcb_file import write

MEASURED = """
import json, resource, sys, time
from pathlib import Path
from agent.suite.load import load_suite
from agent.suite.sources.index import open_index
from agent.suite.sources.livecodebench import SOURCE
from agent.suite.sources.rows import open_data

def quiet(text): pass

if __name__ == "__main__":
    suite, data = Path(sys.argv[1]), Path(sys.argv[2])
    start = time.perf_counter()
    open_index(open_data(data, quiet), SOURCE.format, quiet)
    indexed = time.perf_counter()
    loaded = load_suite(suite, say=quiet)
    end = time.perf_counter()
    peak = max(resource.getrusage(who).ru_maxrss for who in
               (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(json.dumps([len(loaded.problems), indexed - start, end - indexed, peak * 1024]))
"""


@pytest.mark.bench
def test_loading(tmp_path: Path) -> None:
    size = int(os.environ.get("FRONTIER_AGENT_BENCH_MB", "100"))
    data = tmp_path / "lcb.jsonl"
    number = write(data, size)
    start = time.perf_counter()
    with data.open("rb") as stream:
        for line in stream:
            json.loads(line)
    parsing = time.perf_counter() - start
    suite = tmp_path / "suite.yaml"
    suite.write_text("problems: [{source: livecodebench, path: lcb.jsonl}]\n")
    script = tmp_path / "measured.py"
    script.write_text(MEASURED)
    env = {**os.environ, "FRONTIER_AGENT_CACHE": str(tmp_path / "cache")}
    root = Path(__file__).parents[2]
    runs = []
    for _ in range(2):
        ran = subprocess.run(
            [sys.executable, script, suite, data],
            capture_output=True,
            check=True,
            env={**env, "PYTHONPATH": str(root)},
        )
        runs.append(json.loads(ran.stdout))
    (problems, index, tests, peak), (_, again, second, _) = runs
    assert problems == number
    megabytes = data.stat().st_size / 1e6
    print(
        f"\nloading {megabytes:.0f} MB, {number} problems:"
        f" json.loads alone {megabytes / parsing:.0f} MB/s;"
        f" first index {megabytes / index:.0f} MB/s ({parsing / index:.2f} of it);"
        f" tests of all problems {megabytes / tests:.0f} MB/s;"
        f" second start {again + second:.2f} s ({(index + tests) / (again + second):.0f} x faster);"
        f" peak {peak / 1e6:.0f} MB a process"
    )
