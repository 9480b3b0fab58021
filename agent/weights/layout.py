"""The files of a merge: which tensor goes where in them, and the headers that say so."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agent.weights.checkpoint import ITEMSIZE, Checkpoint, Tensor
from agent.weights.kernel import FLOATS, common_dtype


@dataclass(frozen=True, slots=True)
class Slot:
    """A tensor of the output and the tensors it is made of, one per input."""

    name: str
    dtype: str
    start: int  # byte offset in the shard's file
    sources: tuple[Tensor, ...]

    @property
    def nbytes(self) -> int:
        return self.sources[0].count * ITEMSIZE[self.dtype]


@dataclass(frozen=True, slots=True)
class Shard:
    name: str
    head: bytes  # length, JSON header, padding
    size: int  # of the file
    slots: tuple[Slot, ...]


def plan_shards(
    inputs: Sequence[Checkpoint], dtype: str | None, dropped: Mapping[str, str]
) -> tuple[Shard, ...]:
    """The first input's sharding, without the `dropped` tensors; `dtype` for every float tensor."""
    shards = []
    for name, names in inputs[0].shards.items():
        made = [
            (n, _output_dtype([c.tensors[n].dtype for c in inputs], dtype))
            for n in names
            if n not in dropped
        ]
        # Wide elements first, as safetensors itself writes them: every tensor stays aligned.
        made.sort(key=lambda pair: -ITEMSIZE[pair[1]])
        if made:
            shards.append(_shard(name, made, inputs))
    return tuple(shards)


def index(shards: Sequence[Shard], metadata: Mapping[str, object]) -> dict[str, object] | None:
    """The content of model.safetensors.index.json; None when one file holds everything."""
    if len(shards) == 1 and shards[0].name == "model.safetensors":
        return None
    total = sum(slot.nbytes for shard in shards for slot in shard.slots)
    weight_map = {slot.name: shard.name for shard in shards for slot in shard.slots}
    return {"metadata": {"total_size": total, **metadata}, "weight_map": weight_map}


def _output_dtype(dtypes: Sequence[str], wanted: str | None) -> str:
    if any(dtype not in FLOATS for dtype in dtypes):
        return dtypes[0]
    return wanted or common_dtype(dtypes)


def _shard(name: str, made: Sequence[tuple[str, str]], inputs: Sequence[Checkpoint]) -> Shard:
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    offset = 0
    placed = []
    for tensor, dtype in made:
        sources = tuple(checkpoint.tensors[tensor] for checkpoint in inputs)
        size = sources[0].count * ITEMSIZE[dtype]
        header[tensor] = {
            "dtype": dtype,
            "shape": list(sources[0].shape),
            "data_offsets": [offset, offset + size],
        }
        placed.append((tensor, dtype, offset, sources))
        offset += size
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    head = struct.pack("<Q", len(text)) + text
    slots = tuple(Slot(n, d, len(head) + at, s) for n, d, at, s in placed)
    return Shard(name, head, len(head) + offset, slots)
