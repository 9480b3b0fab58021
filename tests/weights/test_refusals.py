"""What must not be merged is refused before anything is written, naming tensor and reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agent.errors import AgentError, UsageError
from agent.weights.check import MergeError
from agent.weights.checkpoint import CheckpointError, open_checkpoint
from agent.weights.merge import merge_members
from tests.weights.checkpoints import TOKENIZER, bf16, pair, read, store, write


def refusal(tmp_path: Path, alpha: float = 1.5, **options: Any) -> str:
    with pytest.raises(AgentError) as caught:
        merge_members(tmp_path / "a", tmp_path / "b", {alpha: tmp_path / "out"}, threads=1,
                      **options)  # fmt: skip
    left = {p.name for p in tmp_path.iterdir()} - {"a", "b"}
    assert not left, f"left behind: {left}"
    return str(caught.value)


def both(tmp_path: Path, a: Any, b: Any, **of_b: Any) -> None:
    write(tmp_path / "a", a)
    write(tmp_path / "b", b, **of_b)


@pytest.mark.parametrize(
    ("name", "tensor", "reason"),
    [
        ("model.norm.weight", None, "but not in"),
        ("value_head.weight", store(np.ones(3), "BF16"), "but not in"),
        ("model.norm.weight", store(np.ones(9), "BF16"), "shape [8] in"),
        ("model.layers.0.mlp.up_proj.weight", store(np.ones((7, 13)), "BF16"), "shape [13, 7]"),
        ("model.embed_tokens.weight", store(np.ones((17, 8)), "BF16"), "vocabularies differ"),
        ("model.norm.weight", ("F8_E4M3", np.ones(8, np.uint8)), "quantized"),
        ("model.norm.weight", ("I32", np.ones(8, np.int32)), "BF16 in"),
    ],
)
def test_tensors(tmp_path: Path, name: str, tensor: Any, reason: str) -> None:
    a, b = pair()
    if tensor is None:
        del b[name]
    else:
        b[name] = tensor
    both(tmp_path, a, b)
    message = refusal(tmp_path)
    assert name in message
    assert reason in message


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("alpha", [0.5, 1.0])
def test_not_finite(tmp_path: Path, value: float, alpha: float) -> None:
    a, b = pair()
    bits = b["model.layers.0.mlp.up_proj.weight"][1]
    bits[2, 3] = np.float32(value).view(np.uint32) >> 16
    both(tmp_path, a, b)
    message = refusal(tmp_path, alpha)
    assert "model.layers.0.mlp.up_proj.weight: not finite" in message
    assert "[2, 3]" in message


@pytest.mark.parametrize(("dtype", "large"), [("float16", 60000.0), ("bfloat16", 3e38)])
def test_overflow_of_the_result(tmp_path: Path, dtype: str, large: float) -> None:
    both(tmp_path, {"w": store([-large, 1], "BF16")}, {"w": store([large, 1], "BF16")})
    assert "w: not finite" in refusal(tmp_path, dtype=dtype)


def test_integers_that_differ(tmp_path: Path) -> None:
    w = store([1.0], "BF16")
    both(tmp_path, {"w": w, "ids": ("I64", np.arange(4))},
         {"w": w, "ids": ("I64", np.arange(4) + 1)})  # fmt: skip
    assert "ids: I64 values differ" in refusal(tmp_path)


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ({"architectures": ["LlamaForCausalLM"]}, "architectures"),
        ({"rope_theta": 1e6}, "rope_theta"),
        ({"quantization_config": {"quant_method": "gptq"}}, "quantized (gptq)"),
        ({"quantization_config": {"quant_method": "fp8"}}, "quantized (fp8)"),
        ({"tie_word_embeddings": True}, "lm_head.weight: tied"),
    ],
)
def test_configurations(tmp_path: Path, config: Any, reason: str) -> None:
    a, b = pair()
    both(tmp_path, a, b, config=config)
    assert reason in refusal(tmp_path)


def test_other_vocabulary(tmp_path: Path) -> None:
    a, b = pair()
    tokenizer = {**TOKENIZER, "added_tokens": [{"content": "<f>", "id": 2}]}
    both(tmp_path, a, b, tokenizer=tokenizer)
    assert "token '<e>' is number 2" in refusal(tmp_path)


def test_damaged_files(tmp_path: Path) -> None:
    a, b = pair()
    both(tmp_path, a, b)
    file = tmp_path / "b/model.safetensors"
    whole = file.read_bytes()
    for broken, reason in (
        (whole[:-3], "truncated"),
        (whole + b"x", "longer than its header says"),
        (whole[:20], "truncated"),
        (b"", "truncated"),
        (b"\xff" * 8 + whole[8:], "truncated or not"),
        (whole[:8] + b"\xff" + whole[9:], "header is damaged"),
        (whole.replace(b'"shape": [8]', b'"shape": [9]'), "does not fit its shape"),
        (whole.replace(b'"data_offsets": [0,', b'"data_offsets": [1,'), "does not fit"),
    ):
        file.write_bytes(broken)
        message = refusal(tmp_path)
        assert str(file) in message
        assert reason in message


def test_folders_that_are_no_checkpoints(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="no such folder"):
        open_checkpoint(tmp_path / "absent")
    (tmp_path / "x").mkdir()
    with pytest.raises(CheckpointError, match="no safetensors files"):
        open_checkpoint(tmp_path / "x")
    (tmp_path / "x/pytorch_model.bin").touch()
    with pytest.raises(CheckpointError, match=r"\.bin files"):
        open_checkpoint(tmp_path / "x")
    (tmp_path / "x/adapter_config.json").write_text("{}")
    with pytest.raises(CheckpointError, match="LoRA adapter"):
        open_checkpoint(tmp_path / "x")
    index = {"weight_map": {"w": "../a/model.safetensors"}}
    (tmp_path / "x/model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(CheckpointError, match="not a plain file name"):
        open_checkpoint(tmp_path / "x")


def test_index_and_shards_must_agree(tmp_path: Path) -> None:
    a, _ = pair()
    names = list(a)
    write(tmp_path / "a", a, shards=[names[:2], names[2:]])
    second = tmp_path / "a/model-00002-of-00002.safetensors"
    index = tmp_path / "a/model.safetensors.index.json"
    listing = json.loads(index.read_text())
    listing["weight_map"]["ghost"] = second.name
    index.write_text(json.dumps(listing))
    with pytest.raises(CheckpointError, match="ghost"):
        open_checkpoint(tmp_path / "a")
    second.unlink()
    with pytest.raises(CheckpointError, match="shard model-00002-of-00002"):
        open_checkpoint(tmp_path / "a")


def test_head_tied_on_both_sides_but_stored_on_one(tmp_path: Path) -> None:
    a, b = pair()
    del a["lm_head.weight"]
    b["lm_head.weight"] = b["model.embed_tokens.weight"]
    write(tmp_path / "a", a, config={"tie_word_embeddings": True})
    write(tmp_path / "b", b, config={"tie_word_embeddings": True})
    merge_members(tmp_path / "a", tmp_path / "b", {1.5: tmp_path / "good"}, threads=1)
    assert set(read(tmp_path / "good")) == set(a)
    shutil_free = tmp_path / "c"
    b["lm_head.weight"] = store(np.zeros((16, 8)), "BF16")
    write(shutil_free, b, config={"tie_word_embeddings": True})
    with pytest.raises(MergeError, match=r"lm_head\.weight: in .*but the two differ"):
        merge_members(tmp_path / "a", shutil_free, {1.5: tmp_path / "bad"}, threads=1)
    assert not (tmp_path / "bad").exists()


def test_wrong_arguments(tmp_path: Path) -> None:
    a, b = pair()
    both(tmp_path, a, b)
    assert "finite" in refusal(tmp_path, float("nan"))
    assert "give one of" in refusal(tmp_path, dtype="int8")
    assert "nearest or stochastic" in refusal(tmp_path, rounding="up")
    assert "bfloat16" in refusal(tmp_path, dtype="float32", rounding="stochastic")
    with pytest.raises(UsageError, match="input folder"):
        merge_members(tmp_path / "a", tmp_path / "b", {1.5: tmp_path / "b" / "out"})
    with pytest.raises(UsageError, match="same name"):
        merge_members(tmp_path / "a", tmp_path / "b", {1.5: tmp_path / "o", 1.0: tmp_path / "o"})
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken/file").touch()
    with pytest.raises(UsageError, match="exists and is something else"):
        merge_members(tmp_path / "a", tmp_path / "b", {1.5: tmp_path / "taken"})


def test_differing_files_are_reported_and_taken_from_one_side(tmp_path: Path) -> None:
    a, b = pair()
    both(tmp_path, a, b, config={"eos_token_id": 1})
    (tmp_path / "a/chat_template.jinja").write_text("old")
    (tmp_path / "a/generation_config.json").write_text('{"eos_token_id": [1, 2]}')
    (tmp_path / "b/optimizer.pt").touch()
    (tmp_path / "b/trainer_state.json").write_text("{}")
    for donor, template in (("A", "old"), ("B", "{{ messages }}")):
        out = tmp_path / donor
        report = merge_members(tmp_path / "a", tmp_path / "b", {1.5: out}, carry_from=donor)
        assert (out / "chat_template.jinja").read_text() == template
        assert (out / "generation_config.json").exists()  # only A has it
        assert not (out / "optimizer.pt").exists()
        assert not (out / "trainer_state.json").exists()
        notes = "\n".join(report.notes)
        assert "eos_token_id differs" in notes
        assert "chat_template.jinja: differs" in notes
        assert "generation_config.json: only in" in notes
        assert "chat_template.jinja: differs" in (out / "README.md").read_text()


def test_mixed_dtypes_are_allowed_with_a_note(tmp_path: Path) -> None:
    a, b = {"w": ("BF16", bf16([1.0]))}, {"w": store([2.0], "F32")}
    both(tmp_path, a, b)
    report = merge_members(tmp_path / "a", tmp_path / "b", {1.5: tmp_path / "out"})
    assert "BF16" in report.notes[0]
    assert read(tmp_path / "out")["w"][0] == "F32"
