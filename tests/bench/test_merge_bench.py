"""How fast merging is, as ratios to copying the same bytes in the same run."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.weights.checkpoints import bf16

pytestmark = [pytest.mark.bench, pytest.mark.slow, pytest.mark.timeout(1800)]

GB = float(os.environ.get("MERGE_BENCH_GB", "3"))  # of each checkpoint, in shards of 1 GB
REPEAT = int(os.environ.get("MERGE_BENCH_REPEAT", "3"))
HIDDEN, VOCABULARY = 2048, 32000

NAIVE = """
import sys  # a loop over whole tensors, as a script would do it
from safetensors.torch import load_file, save_file
from pathlib import Path
a, b, out = map(Path, sys.argv[1:4])
out.mkdir()
for file in sorted(a.glob("*.safetensors")):
    x, y = load_file(file), load_file(b / file.name)
    z = {k: (1.5 * y[k].float() - 0.5 * x[k].float()).bfloat16() for k in x}
    save_file(z, out / file.name)
"""


def tensors(layers: range, *, first: bool) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Names and shapes of a Llama with 134 MB a layer in bfloat16."""
    if first:
        yield "model.embed_tokens.weight", (VOCABULARY, HIDDEN)
        yield "model.norm.weight", (HIDDEN,)
    for i in layers:
        for side in "qkvo":
            yield f"model.layers.{i}.self_attn.{side}_proj.weight", (HIDDEN, HIDDEN)
        for name, shape in (
            ("gate", (4 * HIDDEN, HIDDEN)),
            ("up", (4 * HIDDEN, HIDDEN)),
            ("down", (HIDDEN, 4 * HIDDEN)),
        ):
            yield f"model.layers.{i}.mlp.{name}_proj.weight", shape
        for name in ("input_layernorm", "post_attention_layernorm"):
            yield f"model.layers.{i}.{name}.weight", (HIDDEN,)


def write_random(folder: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = bf16(rng.standard_normal(1 << 22) * 0.02)
    folder.mkdir()
    weight_map = {}
    shards = max(1, round(GB))
    for shard in range(shards):
        name = f"model-{shard + 1:05d}-of-{shards:05d}.safetensors"
        header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
        end = 0
        for tensor, shape in tensors(range(7 * shard, 7 * shard + 7), first=shard == 0):
            begin, end = end, end + 2 * int(np.prod(shape))
            header[tensor] = {"dtype": "BF16", "shape": shape, "data_offsets": [begin, end]}
            weight_map[tensor] = name
        text = json.dumps(header).encode()
        with (folder / name).open("wb") as stream:
            stream.write(len(text).to_bytes(8, "little") + text)
            left = end // 2
            while left:
                part = np.roll(values, int(rng.integers(1 << 22)))[:left]
                stream.write(part.tobytes())
                left -= len(part)
    index = {"metadata": {"total_size": 0}, "weight_map": weight_map}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    config = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_size": HIDDEN,
        "intermediate_size": 4 * HIDDEN,
        "num_hidden_layers": 7 * shards,
        "num_attention_heads": 16,
        "num_key_value_heads": 16,
        "vocab_size": VOCABULARY,
        "tie_word_embeddings": True,
        "torch_dtype": "bfloat16",
    }
    (folder / "config.json").write_text(json.dumps(config))


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """On tmpfs when it has room, so that the disk's own speed is out of the ratio."""
    memory = Path("/dev/shm")
    available = int(Path("/proc/meminfo").read_text().split("MemAvailable:")[1].split()[0]) << 10
    base = memory if memory.is_dir() and available > 5 * GB * 1e9 else Path("/var/tmp")
    folder = base / f"merge-bench-{os.getpid()}"
    folder.mkdir()
    try:
        write_random(folder / "a", 1)
        write_random(folder / "b", 2)
        yield folder
    finally:
        shutil.rmtree(folder)


def measure(action: Callable[[], None], clean: Callable[[], None]) -> tuple[float, float]:
    """Least wall and CPU seconds of several runs: what the machine can do when left alone."""
    walls, processors = [], []
    for _ in range(REPEAT):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        started = time.monotonic()
        action()
        walls.append(time.monotonic() - started)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        processors.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        clean()
    return min(walls), min(processors)


def sh(command: str) -> None:
    subprocess.run(["bash", "-c", command], check=True, stdout=subprocess.DEVNULL)


def merge(place: Path, *alphas: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "agent.cli.main", "merge", str(place / "a"), str(place / "b"),
         "--alpha", *alphas, "-o", str(place / "out")],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip


def remove(place: Path) -> None:
    for folder in (*place.glob("out*"), *place.glob(".out*"), *place.glob("copy*")):
        shutil.rmtree(folder)


def start_up() -> tuple[float, float]:
    code = "import agent.weights.merge, agent.weights.worker, agent.cli.main"
    return measure(lambda: sh(f"{sys.executable} -c '{code}'"), lambda: None)


def test_one_member(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy = f"cat {place}/a/* {place}/b/* >/dev/null; cp -r {place}/a {place}/copy"
    floor = measure(lambda: sh(copy), lambda: remove(place))
    ours = measure(lambda: merge(place, "1.5"), lambda: remove(place))
    start = start_up()
    net = (ours[0] - start[0]) / floor[0]
    with capsys.disabled():
        print(
            f"\none member of {GB:g} GB: {ours[0]:.2f} s wall, {ours[1]:.2f} s CPU; cat A B and "
            f"cp A: {floor[0]:.2f} s, {floor[1]:.2f} s; ratio {ours[0] / floor[0]:.2f} "
            f"(to reach 1.6), net of start-up {net:.2f} (1.25), of CPU {ours[1] / floor[1]:.2f}"
        )


def test_five_members_in_one_pass(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    space = os.statvfs(place)
    if space.f_bavail * space.f_frsize < 5.2 * GB * 1e9:
        pytest.skip(f"five members of {GB:g} GB do not fit: set MERGE_BENCH_GB=1")
    copies = "; ".join(f"cp -r {place}/a {place}/copy{i}" for i in range(4))
    copy = f"cat {place}/b/* >/dev/null; cp -r {place}/a {place}/copy; {copies}"
    floor = measure(lambda: sh(copy), lambda: remove(place))
    ours = measure(lambda: merge(place, "-0.5", "0", "0.5", "1", "1.5"), lambda: remove(place))
    net = (ours[0] - start_up()[0]) / floor[0]
    with capsys.disabled():
        print(
            f"\nfive members of {GB:g} GB: {ours[0]:.2f} s wall, {ours[1]:.2f} s CPU; read two and "
            f"write five: {floor[0]:.2f} s, {floor[1]:.2f} s; ratio net of start-up {net:.2f} "
            f"(to reach 1.3)"
        )


def test_memory(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Anonymous memory of all processes of a merge, sampled while it runs."""
    process = subprocess.Popen(
        [sys.executable, "-m", "agent.cli.main", "merge", str(place / "a"), str(place / "b"),
         "--alpha", "1.5", "-o", str(place / "out")],
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    peak = 0
    while process.poll() is None:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        try:
            pids = [process.pid, *map(int, children.read_text().split())]
            peak = max(peak, sum(anonymous(pid) for pid in pids))
        except (OSError, IndexError):
            pass
        time.sleep(0.02)
    assert process.returncode == 0
    remove(place)
    with capsys.disabled():
        print(f"\nanonymous memory of a merge at its peak: {peak / 1e6:.0f} MB (to reach 300)")
    assert peak < 300e6


def anonymous(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("RssAnon:")[1].split()[0]) << 10


@pytest.mark.parametrize("tool", ["mergekit", "naive"])
def test_against(place: Path, tool: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`MERGE_BENCH_PYTHON`: a Python that has torch, and mergekit for that row."""
    python = os.environ.get("MERGE_BENCH_PYTHON", sys.executable)
    probe = "import mergekit" if tool == "mergekit" else "import torch, safetensors.torch"
    if subprocess.run([python, "-c", probe], capture_output=True).returncode:
        pytest.skip(f"{python} has no {tool}: set MERGE_BENCH_PYTHON")
    if tool == "naive":
        code = NAIVE
        command = [python, "-c", code, str(place / "a"), str(place / "b"), str(place / "out")]
    else:
        recipe = place / "mergekit.yaml"
        recipe.write_text(
            "merge_method: linear\ndtype: float32\nout_dtype: bfloat16\n"
            f"parameters: {{normalize: false}}\nmodels:\n"
            f"- {{model: {place}/a, parameters: {{weight: -0.5}}}}\n"
            f"- {{model: {place}/b, parameters: {{weight: 1.5}}}}\n"
        )
        command = [python, "-m", "mergekit.scripts.run_yaml", str(recipe), str(place / "out")]
    theirs = measure(
        lambda: subprocess.run(command, check=True, capture_output=True) and None,  # type: ignore[func-returns-value]
        lambda: remove(place),
    )
    ours = measure(lambda: merge(place, "1.5"), lambda: remove(place))
    with capsys.disabled():
        print(
            f"\n{tool}: {theirs[0]:.2f} s, {theirs[1]:.2f} s CPU; ours {ours[0]:.2f} s, "
            f"{ours[1]:.2f} s CPU; {theirs[0] / ours[0]:.1f} times as fast"
        )
