"""The numbers of a merge, against float64, for every layout and dtype."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.weights.identity import content_hash
from agent.weights.merge import merge_members
from tests.weights.checkpoints import STORED, bf16, pair, read, store, wide, write


def merge(tmp_path: Path, a: Path, b: Path, *alphas: float, **options: Any) -> list[Any]:
    outputs = {alpha: tmp_path / f"out_alpha{alpha:g}" for alpha in alphas}
    report = merge_members(a, b, outputs, threads=1, **options)
    assert [member.path for member in report.members] == list(outputs.values())
    return [read(path) for path in outputs.values()]


def assert_rounded(found: Any, a: Any, b: Any, alpha: float) -> None:
    """`found` is the float64 result rounded once; the neighbour only where that is a near tie."""
    dtype, stored = found
    exact = wide(*a) + alpha * (wide(*b) - wide(*a))
    if dtype == "BF16":
        magnitude = np.maximum(np.abs(exact), 2.0**-126)
        step = np.exp2(np.floor(np.log2(magnitude)) - 7)
        error = np.abs(wide(dtype, stored) - exact)
        slack = 2.0**-14 * step + 2.0**-33 * np.maximum(np.abs(wide(*a)), np.abs(wide(*b)))
        assert (error <= step / 2 + slack).all()
    else:
        np.testing.assert_allclose(wide(dtype, stored), exact.astype(STORED[dtype]), rtol=1e-3)


def test_one_pass_writes_every_member(tmp_path: Path) -> None:
    a, b = pair()
    write(tmp_path / "a", a)
    write(tmp_path / "b", b)
    alphas = (-0.5, 0.0, 0.3, 0.5, 1.0, 1.3, 1.5)
    members = merge(tmp_path, tmp_path / "a", tmp_path / "b", *alphas)
    for alpha, member in zip(alphas, members, strict=True):
        assert member.keys() == a.keys()
        for name, found in member.items():
            assert found[1].shape == a[name][1].shape
            assert_rounded(found, a[name], b[name], alpha)
    for member, source in ((members[1], a), (members[4], b)):
        for name in a:
            assert member[name][1].tobytes() == source[name][1].tobytes()


def test_layout_and_order_do_not_matter(tmp_path: Path) -> None:
    a, b = pair()
    names = list(a)
    write(tmp_path / "a", a)
    write(tmp_path / "a2", a, shards=[names[3:], names[:3]])
    write(tmp_path / "b", b, shards=[names[4:], names[1:2], names[2:4], names[:1]])
    one = merge(tmp_path / "x", tmp_path / "a", tmp_path / "b", 1.3)[0]
    two = merge(tmp_path / "y", tmp_path / "a2", tmp_path / "b", 1.3)[0]
    assert one.keys() == two.keys()
    assert all(one[name][1].tobytes() == two[name][1].tobytes() for name in one)
    hashes = {content_hash(tmp_path / where / "out_alpha1.3", threads=1) for where in "xy"}
    assert len(hashes) == 1
    index = json.loads((tmp_path / "y/out_alpha1.3/model.safetensors.index.json").read_text())
    assert set(index["weight_map"]) == set(a)
    assert index["metadata"]["theta"]["alpha"] == 1.3


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), alpha=st.floats(-3, 3))
def test_symmetry_linearity_and_dtypes(
    data: st.DataObject, alpha: float, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("case")
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    dtypes = st.sampled_from(sorted(STORED))
    a, b = {}, {}
    for name in ("x", 'odd näme/"quoted"\n', "model.layers.7.q"):
        shape = data.draw(st.sampled_from([(), (0,), (1,), (3, 0, 2), (7,), (5, 3), (131_073,)]))
        values = rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 3)
        a[name] = store(values, data.draw(dtypes))
        b[name] = store(values + 0.1 * rng.standard_normal(shape), data.draw(dtypes))
    write(folder / "a", a)
    write(folder / "b", b)
    (forth,) = merge(folder / "1", folder / "a", folder / "b", alpha)
    (back,) = merge(folder / "2", folder / "b", folder / "a", 1 - alpha)
    for name, found in forth.items():
        assert_rounded(found, a[name], b[name], alpha)
        if 1 - (1 - alpha) == alpha and alpha != 0.5:
            assert found[1].tobytes() == back[name][1].tobytes()
        dtype = a[name][0] if a[name][0] == b[name][0] else None
        assert dtype in (None, found[0])


def test_unchanged_weights_keep_their_bits(tmp_path: Path) -> None:
    bits = np.arange(1 << 16, dtype=np.uint16)
    finite = bits[(bits & 0x7F80) != 0x7F80]  # every finite bfloat16: both zeros, subnormals
    write(tmp_path / "a", {"w": ("BF16", finite)})
    write(tmp_path / "b", {"w": ("BF16", finite)})
    for found in merge(tmp_path, tmp_path / "a", tmp_path / "b", -0.5, 0.3, 0.5, 0.7, 1.3):
        assert found["w"][1].tobytes() == finite.tobytes()


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_output_dtype(tmp_path: Path, dtype: str) -> None:
    a, b = pair()
    write(tmp_path / "a", a)
    write(tmp_path / "b", b)
    (found,) = merge(tmp_path, tmp_path / "a", tmp_path / "b", 0.25, dtype=dtype)
    kind = {"float32": "F32", "float16": "F16", "bfloat16": "BF16"}[dtype]
    for name, (got, values) in found.items():
        assert got == kind
        assert_rounded((got, values), a[name], b[name], 0.25)
        if kind == "F32":
            exact = wide(*a[name]) + 0.25 * (wide(*b[name]) - wide(*a[name]))
            assert (values == exact.astype(np.float32)).all()
    config = json.loads((tmp_path / "out_alpha0.25/config.json").read_text())
    assert config["torch_dtype"] == dtype


def test_integer_buffers_are_copied(tmp_path: Path) -> None:
    ids = ("I64", np.arange(5))
    mask = ("BOOL", np.array([True, False]))
    write(tmp_path / "a", {"w": ("BF16", bf16([1.0])), "ids": ids, "mask": mask})
    write(tmp_path / "b", {"w": ("BF16", bf16([2.0])), "ids": ids, "mask": mask})
    (found,) = merge(tmp_path, tmp_path / "a", tmp_path / "b", 1.5)
    assert wide(*found["w"])[0] == 2.5
    assert found["ids"][1].tobytes() == ids[1].tobytes()
    assert found["mask"][1].tobytes() == mask[1].tobytes()


def test_stochastic_rounding_keeps_alpha_on_average(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    a = bf16(rng.standard_normal(300_001) * 0.02)
    moved = np.where(rng.random(a.shape) < 0.3, a + np.uint16(1), a)  # one step, as after RL
    write(tmp_path / "a", {"w": ("BF16", a)})
    write(tmp_path / "b", {"w": ("BF16", moved)})
    outputs = {0.25: tmp_path / "n"}
    nearest = merge_members(tmp_path / "a", tmp_path / "b", outputs, threads=1).members[0]
    assert nearest.effective_alpha == pytest.approx(0.0, abs=0.01)
    assert "effective alpha" in nearest.warnings[0]
    files = []
    for name, seed, threads in (("s1", 7, 1), ("s2", 7, 2), ("s3", 8, 1)):
        report = merge_members(
            tmp_path / "a", tmp_path / "b", {0.25: tmp_path / name},
            rounding="stochastic", seed=seed, threads=threads,
        )  # fmt: skip
        found = wide(*read(tmp_path / name)["w"])
        step = wide("BF16", moved) - wide("BF16", a)
        assert (found - wide("BF16", a)) @ step / (step @ step) == pytest.approx(0.25, abs=0.01)
        assert report.members[0].effective_alpha == pytest.approx(0.25, abs=0.06)
        assert not report.members[0].warnings
        files.append((tmp_path / name / "model.safetensors").read_bytes())
    assert files[0] == files[1] != files[2]
