"""Small checkpoints for tests: written by hand, to allow any layout; read back by safetensors."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import deserialize

Array = np.ndarray[Any, Any]
Tensors = Mapping[str, tuple[str, Array]]  # name → (dtype, values as stored; bfloat16 as uint16)

CONFIG: dict[str, Any] = {
    "architectures": ["Qwen2ForCausalLM"],
    "model_type": "qwen2",
    "hidden_size": 8,
    "vocab_size": 16,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
    "eos_token_id": [1, 2],
}
TOKENIZER = {"model": {"vocab": {"a": 0, "b": 1}}, "added_tokens": [{"content": "<e>", "id": 2}]}
STORED = {"BF16": np.uint16, "F16": np.float16, "F32": np.float32, "F64": np.float64}


def bf16(values: Any) -> Array:
    """float → bfloat16 bits, to nearest even (finite values)."""
    bits = np.asarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def store(values: Any, dtype: str) -> tuple[str, Array]:
    return dtype, bf16(values) if dtype == "BF16" else np.asarray(values).astype(STORED[dtype])


def wide(dtype: str, stored: Array) -> Array:
    """Stored values as float64."""
    if dtype == "BF16":
        stored = (stored.astype(np.uint32) << 16).view(np.float32)
    return stored.astype(np.float64)


def write_file(path: Path, tensors: Tensors) -> None:
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    data = b""
    for name, (dtype, values) in tensors.items():
        raw = values.tobytes()
        header[name] = {
            "dtype": dtype,
            "shape": list(values.shape),
            "data_offsets": [len(data), len(data) + len(raw)],
        }
        data += raw
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def write(
    folder: Path,
    tensors: Tensors,
    *,
    shards: Sequence[Sequence[str]] | None = None,
    config: Mapping[str, Any] | None = None,
    tokenizer: Any = TOKENIZER,
) -> Path:
    """A model folder. `shards`: the names in every file (default: one model.safetensors)."""
    folder.mkdir(parents=True)
    if shards is None:
        write_file(folder / "model.safetensors", tensors)
    else:
        weight_map = {}
        for i, names in enumerate(shards, 1):
            file = f"model-{i:05d}-of-{len(shards):05d}.safetensors"
            write_file(folder / file, {name: tensors[name] for name in names})
            weight_map.update(dict.fromkeys(names, file))
        index = {"metadata": {"total_size": 0}, "weight_map": weight_map}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    (folder / "config.json").write_text(json.dumps({**CONFIG, **(config or {})}))
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    (folder / "chat_template.jinja").write_text("{{ messages }}")
    return folder


def read(folder: Path) -> dict[str, tuple[str, Array]]:
    """Every tensor of a folder, through the safetensors library."""
    found = {}
    for file in sorted(folder.glob("*.safetensors")):
        for name, entry in deserialize(file.read_bytes()):
            dtype = entry["dtype"]
            values = np.frombuffer(bytes(entry["data"]), STORED.get(dtype, np.uint8))
            if dtype in STORED:
                values = values.reshape(entry["shape"])
            found[name] = (dtype, values)
    return found


def pair(seed: int = 0, *, step: float = 0.01) -> tuple[dict[str, Any], dict[str, Any]]:
    """A and B: a few bfloat16 tensors with odd sizes, B close to A."""
    rng = np.random.default_rng(seed)
    shapes = {
        "model.embed_tokens.weight": (16, 8),
        "model.layers.0.mlp.up_proj.weight": (13, 7),
        "model.layers.1.mlp.up_proj.weight": (1009,),
        "model.norm.weight": (8,),
        "lm_head.weight": (16, 8),
    }
    a, b = {}, {}
    for name, shape in shapes.items():
        values = rng.standard_normal(shape)
        a[name] = store(values, "BF16")
        b[name] = store(values + step * rng.standard_normal(shape), "BF16")
    return a, b
