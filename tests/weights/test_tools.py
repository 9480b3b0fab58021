"""Recipes, differences, identities and LoRA."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from agent.cli.main import app
from agent.errors import AgentError, UsageError
from agent.weights.diff import diff
from agent.weights.identity import checkpoint_identity, content_hash
from agent.weights.lora import fold_adapter
from agent.weights.recipe import read_recipe
from agent.weights.verify import verify
from tests.weights.checkpoints import bf16, pair, read, store, wide, write, write_file


def run(*arguments: Any) -> str:
    result = CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def three(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    base = rng.standard_normal(5000)
    for name in ("base", "a", "b"):
        values = base if name == "base" else base + 0.1 * rng.standard_normal(5000)
        write(tmp_path / name, {"model.layers.0.w": store(values, "F32")})
    return tmp_path


def values(folder: Path) -> Any:
    return wide(*read(folder)["model.layers.0.w"])


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        ("models: [{path: a, weight: 0.7}, {path: b, weight: 0.3}]", (0, 0.7, 0.3)),
        ("base: base\nmodels: [{path: a, weight: 1}, {path: b, weight: 0.5}]", (-0.5, 1, 0.5)),
        ("base: base\nmodels: [{path: a, weight: -1}]", (2, -1, 0)),
        ("soup: [base, a, b]", (1 / 3, 1 / 3, 1 / 3)),
        ("models: [{path: a, weight: 0.7}, {path: b, weight: 0.7}]", (0, 0.7, 0.7)),
    ],
)
def test_recipes(three: Path, text: str, weights: tuple[float, ...]) -> None:
    (three / "merge.yaml").write_text(text)
    output = run("merge", "--recipe", three / "merge.yaml", "-o", three / "out")
    assert ("warning: the weights sum to 1.4, not to 1" in output) == (sum(weights) > 1.1)
    exact = sum(w * values(three / n) for w, n in zip(weights, ("base", "a", "b"), strict=True))
    np.testing.assert_allclose(values(three / "out"), exact, rtol=1e-6, atol=1e-7)
    assert verify(three / "out", share=1.0).wrong == ()
    assert json.loads((three / "out/theta.json").read_text())["recipe"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("models: [{path: a, weight: x}]", "models[0]: weight 'x' is not a finite number"),
        ("models: [{path: a, weight: .nan}]", "not a finite number"),
        ("models: [{path: a}]", "expected path and weight"),
        ("models: [{path: a, weight: 1, wieght: 2}]", "unknown key 'wieght'"),
        ("models: []", "expected a list"),
        ("soup: [a]\nbase: b", "no base"),
        ("soup: [a]\nmodels: []", "either models: or soup:"),
        ("soup: [a, a]", "twice"),
        ("[", "not valid YAML"),
        ("1", "expected models"),
        ("model: []", "unknown key 'model'"),
    ],
)
def test_wrong_recipes(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "r.yaml").write_text(text)
    with pytest.raises(UsageError) as caught:
        read_recipe(tmp_path / "r.yaml")
    assert reason in str(caught.value)


def test_merge_command(tmp_path: Path) -> None:
    a, b = pair()
    write(tmp_path / "a", a)
    write(tmp_path / "b", b)
    names = ("merge", tmp_path / "a", tmp_path / "b")
    assert "can be merged: 5 tensors" in run(*names, "--check")
    output = run(*names, "--alpha", "-0.5", "0", "-1", "1.5", "-o", tmp_path / "ckpt")
    folders = {p.name for p in tmp_path.iterdir()} - {"a", "b"}
    assert folders == {"ckpt_alpha-0.5", "ckpt_alpha0", "ckpt_alpha-1", "ckpt_alpha1.5"}
    assert all(name in output for name in folders)
    shown = json.loads(run(*names, "--alpha", 0.5, "-o", tmp_path / "half", "--json"))
    assert shown["members"][0]["effective_alpha"] == pytest.approx(0.5, abs=0.1)
    assert "θ = 0.5·B + (0.5)·A" in run("weights", "inspect", tmp_path / "half")
    assert "recomputed" in run("weights", "verify", tmp_path / "half")
    assert content_hash(tmp_path / "a") in run("weights", "hash", tmp_path / "ckpt_alpha0")
    for wrong in (names, (*names, "-o", "x"), (*names, "--alhpa", "1", "-o", "x"),
                  (*names[:2], "--alpha", "1", "-o", "x")):  # fmt: skip
        result = CliRunner().invoke(app, [str(w) for w in wrong])
        assert isinstance(result.exception, AgentError)


def test_differences(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    base = rng.standard_normal((2, 3_000_000))
    step = 0.01 * rng.standard_normal(base.shape)
    init, one, two = base, base + step, base + 2 * step
    for name, x in (("init", init), ("a", one), ("b", two)):
        tensors = {f"model.layers.{i}.q.weight": store(x[i], "F32") for i in range(2)}
        write(tmp_path / name, tensors | {"model.norm.weight": store(np.ones(8), "F32")})
    rows, warnings = diff(tmp_path / "a", tmp_path / "b", init=tmp_path / "init")
    by_name = {row.group: row for row in rows}
    assert list(by_name) == ["model.norm.weight", "0", "1", "all"]
    assert by_name["model.norm.weight"].relative == 0
    for i in range(2):  # sampled: 1 M of 3 M elements
        row = by_name[str(i)]
        assert row.norm == pytest.approx(np.linalg.norm(two[i] - one[i]), rel=0.01)
        assert row.relative == pytest.approx(row.norm / np.linalg.norm(one[i]), rel=0.01)
        assert row.cosine == pytest.approx(1.0, abs=1e-4)
        assert row.changed == pytest.approx(1.0, abs=1e-3)
    assert "float32 masters" in warnings[0]
    assert by_name["all"].below_step > 0.05
    kinds = [row.group for row in diff(tmp_path / "a", tmp_path / "b", by="kind")[0]]
    assert kinds == ["q.weight", "model.norm.weight", "all"]
    assert diff(tmp_path / "a", tmp_path / "a")[1] == ["the two checkpoints hold the same weights"]
    assert "cosine" in run("weights", "diff", tmp_path / "a", tmp_path / "b", "--init",
                           tmp_path / "init")  # fmt: skip


def test_identity_sees_what_changes_and_nothing_else(tmp_path: Path) -> None:
    a, b = pair()
    names = list(a)
    write(tmp_path / "one", a)
    write(tmp_path / "two", a, shards=[names[2:], names[:2]])
    write(tmp_path / "b", b)
    one, two = (checkpoint_identity(tmp_path / n) for n in ("one", "two"))
    assert one == two
    assert content_hash(tmp_path / "one") == content_hash(tmp_path / "two")
    other = checkpoint_identity(tmp_path / "b")
    assert other["weights"] != one["weights"]
    assert other["config"] == one["config"]
    assert content_hash(tmp_path / "b") != content_hash(tmp_path / "one")
    a["model.norm.weight"][1][0] ^= 1  # one bit, in place, same size
    file = tmp_path / "one/model.safetensors"
    write_file(file, a)
    os.utime(file, ns=(0, 1))  # even when the clock did not move on
    assert checkpoint_identity(tmp_path / "one")["weights"] != one["weights"]
    (tmp_path / "two/chat_template.jinja").write_text("other")
    changed = checkpoint_identity(tmp_path / "two")
    assert changed["chat_template"] != two["chat_template"]
    assert changed["weights"] == two["weights"]


def adapter(folder: Path, rank: int = 2, **config: Any) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    folder.mkdir()
    module = "base_model.model.model.layers.0.mlp.up_proj"
    tensors = {
        f"{module}.lora_A.weight": store(rng.standard_normal((rank, 7)), "F32"),
        f"{module}.lora_B.weight": store(rng.standard_normal((13, rank)), "F32"),
    }
    write_file(folder / "adapter_model.safetensors", tensors)
    settings = {"peft_type": "LORA", "r": rank, "lora_alpha": 8, **config}
    (folder / "adapter_config.json").write_text(json.dumps(settings))
    return {name.rpartition(".lora_")[2][0]: value[1] for name, value in tensors.items()}


@pytest.mark.parametrize(("config", "scale"), [({}, 4.0), ({"use_rslora": True}, 8 / 2**0.5)])
def test_lora(tmp_path: Path, config: dict[str, Any], scale: float) -> None:
    a, _ = pair()
    names = list(a)
    write(tmp_path / "base", a, shards=[names[:2], names[2:]])
    sides = adapter(tmp_path / "lora", **config)
    run("weights", "lora", tmp_path / "base", tmp_path / "lora", "-o", tmp_path / "out",
        "--strength", 0.5)  # fmt: skip
    found = read(tmp_path / "out")
    target = "model.layers.0.mlp.up_proj.weight"
    exact = wide(*a[target]) + 0.5 * scale * (sides["B"].astype(float) @ sides["A"])
    assert (np.abs(wide(*found[target]) - wide("BF16", bf16(exact))) <= 2**-7 * np.abs(exact)).all()
    for name in set(names) - {target}:
        assert found[name][1].tobytes() == a[name][1].tobytes()
    assert (tmp_path / "out/tokenizer.json").exists()


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ({"use_dora": True}, "use_dora"),
        ({"modules_to_save": ["lm_head"]}, "modules_to_save"),
        ({"bias": "all"}, "bias"),
        ({"r": 3}, "does not fit"),
        ({"peft_type": "IA3"}, "no LoRA adapter"),
    ],
)
def test_adapters_that_cannot_be_folded(tmp_path: Path, config: Any, reason: str) -> None:
    a, _ = pair()
    write(tmp_path / "base", a)
    adapter(tmp_path / "lora", **config)
    with pytest.raises(UsageError, match=reason):
        fold_adapter(tmp_path / "base", tmp_path / "lora", tmp_path / "out")
    assert {p.name for p in tmp_path.iterdir()} == {"base", "lora"}
