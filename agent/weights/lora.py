"""Folds a LoRA adapter into its base: W + strength · (lora_alpha / r) · B·A, rounded once.

The fold is linear in the delta, not in A and B, so a family of adapters is merged after folding.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from agent.errors import UsageError
from agent.weights import carry, provenance
from agent.weights.check import ContentError, MergeError
from agent.weights.checkpoint import (
    INDEX,
    Checkpoint,
    CheckpointError,
    Tensor,
    open_checkpoint,
    read_header,
    read_json,
)
from agent.weights.identity import checkpoint_identity
from agent.weights.kernel import FLOATS, decode, encode
from agent.weights.layout import index, plan_shards
from agent.weights.merge import Settings
from agent.weights.stage import Stage

_PREFIX = "base_model.model."
_COPY = 1 << 24  # bytes copied at a time


@dataclass(frozen=True, slots=True)
class Delta:
    """strength · scale · up·down is added to one weight."""

    down: Tensor  # lora_A: r × in
    up: Tensor  # lora_B: out × r
    scale: float


def fold_adapter(base: Path, adapter: Path, output: Path, *, strength: float = 1.0) -> int:
    """Writes base + strength · delta to `output`; returns how many tensors were changed.

    Raises MergeError naming the tensor or the adapter's setting that cannot be folded.
    """
    if not math.isfinite(strength):
        raise UsageError(f"strength must be finite, got {strength}")
    checkpoint = open_checkpoint(base)
    deltas = read_adapter(adapter, checkpoint)
    sources = [
        provenance.source(base, checkpoint_identity(base)),
        provenance.source(adapter, {"weights": provenance.file_hash(_weights(adapter))}),
    ]
    document = provenance.document((1.0, strength), None, sources, Settings(donor=0))
    document["formula"] = f"base + {strength:g}·(lora_alpha / r)·B·A"
    if provenance.finished(output, document["fingerprint"]) is not None:
        return len(deltas)
    shards = plan_shards([checkpoint], None, {})
    stage = Stage(output)
    stage.open(document["fingerprint"])
    try:
        for shard in shards:
            if stage.has(shard.name):
                continue
            with stage.part(shard.name, shard.size, shard.head).open("r+b") as stream:
                for slot in shard.slots:
                    stream.seek(slot.start)
                    if slot.name in deltas:
                        stream.write(_folded(slot.sources[0], deltas[slot.name], strength))
                    else:
                        _copy(slot.sources[0], stream)
            stage.keep(shard.name)
        carry.copy(carry.choose([base], 0), stage.folder, None)
        stage.write_json(provenance.FILE, document | {"effects": {}, "effective_alpha": None})
        listing = index(shards, {"theta": {"formula": document["formula"]}})
        if listing is not None:
            stage.write_json(INDEX, listing)
        stage.publish()
    except ContentError:
        stage.discard()
        raise
    except OSError as error:
        stage.rest()
        raise MergeError(f"{output}: {error.strerror or error}") from None
    return len(deltas)


def read_adapter(adapter: Path, base: Checkpoint) -> dict[str, Delta]:
    """Base weight → what is added to it. Every tensor of the adapter must find its place."""
    config = read_json(adapter / "adapter_config.json")
    if config.get("peft_type") != "LORA":
        raise CheckpointError(f"{adapter}: no LoRA adapter (adapter_config.json: peft_type)")
    for key, why in (
        ("use_dora", "DoRA rescales the weights"),
        ("modules_to_save", "it replaces whole modules"),
        ("rank_pattern", "its ranks differ per module"),
        ("alpha_pattern", "its scales differ per module"),
        ("layers_to_transform", "it counts on its own layer names"),
        ("fan_in_fan_out", "its weights are transposed"),
    ):
        if config.get(key):
            raise CheckpointError(f"{adapter}: cannot fold {key}: {why}")
    if config.get("bias", "none") != "none":
        raise CheckpointError(f"{adapter}: cannot fold bias: {config['bias']!r}")
    rank = int(config.get("r", 0))
    if rank <= 0:
        raise CheckpointError(f"{adapter}: adapter_config.json has no rank r")
    root = math.sqrt(rank) if config.get("use_rslora") else rank
    scale = float(config.get("lora_alpha", rank)) / root
    found: dict[str, dict[str, Tensor]] = {}
    for tensor in read_header(_weights(adapter)):
        module, _, side = tensor.name.removeprefix(_PREFIX).rpartition(".lora_")
        if side not in ("A.weight", "B.weight") or tensor.dtype not in FLOATS:
            raise CheckpointError(f"{adapter}: {tensor.name}: is no LoRA matrix")
        found.setdefault(f"{module}.weight", {})[side[0]] = tensor
    deltas = {}
    for name, sides in found.items():
        target = base.tensors.get(name)
        if target is None:
            raise CheckpointError(f"{adapter}: {name}: {base.folder} has no such weight")
        if set(sides) != {"A", "B"}:
            raise CheckpointError(f"{adapter}: {name}: only one of lora_A and lora_B is there")
        down, up = sides["A"].shape, sides["B"].shape
        if (*up, *down) != (target.shape[0], rank, rank, target.shape[-1]):
            raise CheckpointError(
                f"{adapter}: {name}: {list(up)} · {list(down)} does not fit {list(target.shape)}"
            )
        deltas[name] = Delta(sides["A"], sides["B"], scale)
    return deltas


def _folded(target: Tensor, delta: Delta, strength: float) -> bytes:
    if target.dtype not in FLOATS:
        raise ContentError(f"{target.name}: {target.dtype} cannot take a LoRA delta")
    weight, down, up = (_load(t) for t in (target, delta.down, delta.up))
    total = weight + np.float32(strength * delta.scale) * (up @ down)
    if not np.isfinite(total).all():
        raise ContentError(f"{target.name}: not finite after adding the adapter")
    return encode(total, target.dtype)


def _load(tensor: Tensor) -> np.ndarray[Any, Any]:
    raw = np.fromfile(tensor.file, np.uint8, tensor.nbytes, offset=tensor.start)
    values = decode(raw, tensor.dtype, tensor.count)
    return values.astype(np.float32, copy=False).reshape(tensor.shape)


def _copy(source: Tensor, stream: Any) -> None:
    with source.file.open("rb") as original:
        original.seek(source.start)
        left = source.nbytes
        while left:
            data = original.read(min(left, _COPY))
            if not data:
                raise MergeError(f"{source.name}: {source.file} became shorter")
            stream.write(data)
            left -= len(data)


def _weights(adapter: Path) -> Path:
    return adapter / "adapter_model.safetensors"
