"""Kills, full disks and unwritable folders: the result is whole or absent, and a rerun finishes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path

import numpy as np
import pytest

from agent.errors import UsageError
from agent.weights.check import MergeError
from agent.weights.merge import merge_members
from agent.weights.stage import Stage
from agent.weights.verify import verify
from tests.weights.checkpoints import bf16, pair, write

SHARDS, SIZE = 6, 12_000_000  # elements of each: large enough to be killed in the middle


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    root = tmp_path_factory.mktemp("large")
    rng = np.random.default_rng(0)
    values = bf16(rng.standard_normal(SIZE))
    folders = []
    for name, shift in (("a", 1), ("b", 7)):
        tensors = {f"model.layers.{i}.w": ("BF16", np.roll(values, shift * (i + 1)))
                   for i in range(SHARDS)}  # fmt: skip
        folders.append(write(root / name, tensors, shards=[[n] for n in tensors]))
    return folders[0], folders[1]


def command(a: Path, b: Path, out: Path) -> list[str]:
    return [sys.executable, "-m", "agent.cli.main", "merge", str(a), str(b),
            "--alpha", "0.3", "1.5", "-o", str(out), "--threads", "1"]  # fmt: skip


def partial(out: Path) -> list[Path]:
    return sorted(out.parent.glob(f".{out.name}_alpha*.partial/*"))


def test_killed_again_and_again(large: tuple[Path, Path], tmp_path: Path) -> None:
    a, b = large
    out = tmp_path / "ckpt"
    finished: list[int] = []
    for wanted in (1, 2, 3):  # kill while the shard after `wanted` finished ones is being written
        process = subprocess.Popen(command(a, b, out), stdout=subprocess.DEVNULL)
        while process.poll() is None:
            names = [f.name for f in partial(out)]
            whole = sum(name.startswith("model-") and name.endswith("rs") for name in names)
            if whole >= wanted and any(name.endswith(".part") for name in names):
                break
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert not list(tmp_path.glob("ckpt_*")), "half a result got its name"
        finished.append(whole)
    before = {f: f.stat().st_mtime_ns for f in partial(out) if f.name.endswith(".safetensors")}
    assert before
    done = subprocess.run(command(a, b, out), capture_output=True, text=True, check=True)
    assert "ckpt_alpha0.3" in done.stdout
    assert sorted(p.name for p in tmp_path.iterdir()) == ["ckpt_alpha0.3", "ckpt_alpha1.5"]
    for file, when in before.items():  # finished shards were not done again
        published = tmp_path / file.parent.name[1:].removesuffix(".partial") / file.name
        assert published.stat().st_mtime_ns == when
    merge_members(a, b, {0.3: tmp_path / "x", 1.5: tmp_path / "y"}, threads=2)
    for one, two in (("ckpt_alpha0.3", "x"), ("ckpt_alpha1.5", "y")):
        files = sorted(f.name for f in (tmp_path / one).iterdir())
        assert files == sorted(f.name for f in (tmp_path / two).iterdir())
        assert not any(name.startswith(".") for name in files)
        for shard in (name for name in files if name.endswith(".safetensors")):
            assert (tmp_path / one / shard).read_bytes() == (tmp_path / two / shard).read_bytes()
        effects = [json.loads((tmp_path / n / "theta.json").read_text())["effects"]
                   for n in (one, two)]  # fmt: skip
        assert effects[0] == effects[1]


def test_workers_end_with_a_killed_parent(large: tuple[Path, Path], tmp_path: Path) -> None:
    process = subprocess.Popen(command(*large, tmp_path / "ckpt"), stdout=subprocess.DEVNULL)
    workers: list[int] = []
    while not workers and process.poll() is None:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        workers = [int(pid) for pid in children.read_text().split()]
        time.sleep(0.01)
    assert workers
    process.kill()
    process.wait()
    deadline = time.monotonic() + 10
    while any(_running(pid) for pid in workers):
        assert time.monotonic() < deadline, "a worker outlived its parent"
        time.sleep(0.05)


def _running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_interrupt_leaves_what_is_finished(large: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "ckpt"
    process = subprocess.Popen(command(*large, out), stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not any(f.name.endswith("rs") for f in partial(out)):
        time.sleep(0.002)
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130
    assert process.stderr is not None
    assert "Traceback" not in process.stderr.read()
    assert not any(f.name.endswith(".part") for f in partial(out))
    subprocess.run(command(*large, out), stdout=subprocess.DEVNULL, check=True)
    assert verify(tmp_path / "ckpt_alpha1.5", share=0.1).wrong == ()


@pytest.fixture
def small_disk(tmp_path: Path) -> Generator[Path, None, None]:
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=120m", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("cannot mount a tmpfs here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_too_little_space_is_seen_before_writing(
    large: tuple[Path, Path], small_disk: Path
) -> None:
    with pytest.raises(MergeError, match=r"0\.2 GB are needed and 0\.1 GB are free"):
        merge_members(*large, {1.5: small_disk / "out"}, threads=1)
    assert list(small_disk.iterdir()) == []


def test_disk_full_in_the_middle(
    large: tuple[Path, Path], small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The space vanishes after the check, as when another program writes too.
    monkeypatch.setattr("agent.weights.merge._Work._check_space", lambda self: None)
    with pytest.raises(MergeError, match="the disk is full; free some space"):
        merge_members(*large, {1.5: small_disk / "out"}, threads=1)
    assert [p.name for p in small_disk.iterdir()] == [".out.partial"]
    kept = [p.name for p in (small_disk / ".out.partial").iterdir()]
    assert any(name.endswith(".safetensors") for name in kept)
    assert not any(name.endswith(".part") for name in kept)
    subprocess.run(["mount", "-o", "remount,size=400m", str(small_disk)], check=True)
    merge_members(*large, {1.5: small_disk / "out"}, threads=1)
    assert verify(small_disk / "out").wrong == ()


def test_unwritable_folder(tmp_path: Path) -> None:
    a, b = pair()
    write(tmp_path / "a", a)
    write(tmp_path / "b", b)
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(UsageError, match="cannot write there"):
        merge_members(tmp_path / "a", tmp_path / "b", {1.5: file / "out"})
    with pytest.raises(UsageError, match="cannot write there"):
        merge_members(tmp_path / "a", tmp_path / "b", {1.5: Path("/proc/out")})


def test_two_merges_into_one_folder(tmp_path: Path) -> None:
    a, b = pair()
    write(tmp_path / "a", a)
    write(tmp_path / "b", b)
    first = Stage(tmp_path / "out")
    first.open("x")
    with pytest.raises(UsageError, match="another merge is writing it"):
        merge_members(tmp_path / "a", tmp_path / "b", {1.5: tmp_path / "out"})
    first.close()
    merge_members(tmp_path / "a", tmp_path / "b", {1.5: tmp_path / "out"})


def test_done_work_is_not_done_again(tmp_path: Path) -> None:
    a, b = pair()
    write(tmp_path / "a", a)
    write(tmp_path / "b", b)
    (tmp_path / "b/model.safetensors").chmod(0o600)
    outputs: dict[float, Path] = {1.5: tmp_path / "out"}
    first = merge_members(tmp_path / "a", tmp_path / "b", outputs)
    assert os.stat(tmp_path / "out/model.safetensors").st_mode & 0o777 == 0o644
    again = merge_members(tmp_path / "a", tmp_path / "b", {**outputs, 0.5: tmp_path / "half"})
    assert [member.reused for member in again.members] == [True, False]
    assert again.members[0].effects == first.members[0].effects
    with pytest.raises(UsageError, match="other inputs or with other settings"):
        merge_members(tmp_path / "b", tmp_path / "a", outputs)


def test_a_worker_that_dies(
    large: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []

    def progress(done: int, total: int) -> None:
        calls.append(done)
        if len(calls) == 2:
            children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
            for pid in children:
                command_line = Path(f"/proc/{pid}/cmdline").read_bytes()
                if b"agent.weights.worker" in command_line:
                    os.kill(int(pid), signal.SIGKILL)

    with pytest.raises(MergeError, match="a worker process died"):
        merge_members(*large, {1.5: tmp_path / "out"}, threads=1, progress=progress)
    merge_members(*large, {1.5: tmp_path / "out"}, threads=1)
    assert verify(tmp_path / "out").wrong == ()


def test_verify_sees_a_flipped_bit_and_a_hole(large: tuple[Path, Path], tmp_path: Path) -> None:
    merge_members(*large, {1.5: tmp_path / "out"})
    assert verify(tmp_path / "out", share=1.0).wrong == ()
    shard = next((tmp_path / "out").glob("model-00002-*"))
    with shard.open("r+b") as stream:
        stream.seek(-1, os.SEEK_END)
        byte = stream.read(1)
        stream.seek(-1, os.SEEK_END)
        stream.write(bytes([byte[0] ^ 1]))
    assert verify(tmp_path / "out", share=1.0).wrong == (
        f"model.layers.1.w: differs at [{SIZE - 1}]",
    )
