"""Recomputes a merged checkpoint, or a sample of it, from its inputs."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from agent.errors import UsageError
from agent.weights.check import check
from agent.weights.checkpoint import Checkpoint, Tensor, open_checkpoint
from agent.weights.identity import checkpoint_identity
from agent.weights.kernel import FLOATS, Mixer, NotFinite, formula, is_wide
from agent.weights.layout import plan_shards
from agent.weights.merge import DTYPES
from agent.weights.provenance import FILE
from agent.weights.worker import uniform16

_BLOCK = 1 << 14  # elements; a multiple of 16


@dataclass(frozen=True, slots=True)
class Verified:
    """`wrong`: one line for everything that is not as it should be; empty when all is well."""

    tensors: int
    elements: int  # recomputed and compared bit by bit
    wrong: tuple[str, ...]


def verify(
    folder: Path, inputs: Sequence[Path] | None = None, *, share: float = 0.01, seed: int = 0
) -> Verified:
    """Compares `folder` with what its theta.json says it is made of.

    `share` of every tensor is recomputed (1: all of it; at least two blocks of 16,384 elements).
    `inputs`: where the inputs lie now, when not where they were. Raises UsageError when `folder` is
    no merged checkpoint or an input is gone or has changed.
    """
    try:
        document = json.loads((folder / FILE).read_text(encoding="utf-8"))
        sources = [Path(entry["path"]) for entry in document["inputs"]]
        weights, dtype = list(map(float, document["weights"])), document["dtype"]
    except (OSError, ValueError, KeyError, TypeError):
        raise UsageError(f"{folder}: has no readable {FILE}: not a merge of ours") from None
    sources = list(inputs) if inputs else sources
    if len(sources) != len(weights):
        raise UsageError(f"{folder}: is a merge of {len(weights)} checkpoints; name all of them")
    for entry, source in zip(document["inputs"], sources, strict=True):
        if checkpoint_identity(source)["weights"] != entry["weights"]:
            raise UsageError(f"{source}: is not the checkpoint that {folder} was made from")
    opened = [open_checkpoint(source) for source in sources]
    dropped = dict(check(opened).dropped)
    shards = plan_shards(opened, DTYPES.get(dtype or ""), dropped)
    output = open_checkpoint(folder)
    rng = np.random.default_rng(seed)
    wrong, elements, tensors = _names(output, opened, dropped), 0, 0
    for slot in (slot for shard in shards for slot in shard.slots):
        found = output.tensors.get(slot.name)
        if found is None:
            continue
        tensors += 1
        if (found.dtype, found.shape) != (slot.dtype, slot.sources[0].shape):
            wrong.append(f"{slot.name}: is {found.dtype} {list(found.shape)}")
            continue
        for start, count in _blocks(found.count, share, rng):
            elements += count
            expected = _expected(slot.sources, slot.dtype, weights, document, start, count)
            at = _first_difference(found, expected, start, count)
            if at is not None:
                where = [int(i) for i in np.unravel_index(at, found.shape or (1,))]
                wrong.append(f"{slot.name}: differs at {where}")
                break
    return Verified(tensors, elements, tuple(wrong))


def _names(output: Checkpoint, inputs: Sequence[Checkpoint], dropped: Any) -> list[str]:
    expected = set(inputs[0].tensors) - set(dropped)
    return [
        f"{name}: {'missing' if name in expected else 'does not belong there'}"
        for name in sorted(expected ^ set(output.tensors))
    ]


def _blocks(count: int, share: float, rng: np.random.Generator) -> Iterator[tuple[int, int]]:
    blocks = math.ceil(count / _BLOCK)
    wanted = min(blocks, max(2, math.ceil(blocks * share)))
    for block in np.sort(rng.choice(blocks, wanted, replace=False)) if blocks else ():
        start = int(block) * _BLOCK
        yield start, min(_BLOCK, count - start)


def _expected(
    sources: Sequence[Tensor], dtype: str, weights: Sequence[float], document: Mapping[str, Any],
    start: int, count: int,
) -> bytes:  # fmt: skip
    if dtype not in FLOATS:
        return _read(sources[0], start, count)
    recipe = formula(weights, wide=is_wide(dtype))
    kinds = [source.dtype for source in sources]
    anchor = sources[recipe.anchor]
    if recipe.copies and anchor.dtype == dtype:
        return _read(anchor, start, count)
    stochastic = document["rounding"] == "stochastic"
    mixer = Mixer(kinds, dtype, stochastic=stochastic, capacity=_BLOCK)
    for i, source in enumerate(sources):
        mixer.source(i, count)[:] = _read(source, start, count)
    mixer.widen(count)
    random = None
    if stochastic and dtype == "BF16":
        random = uniform16(int(document["seed"]), sources[0].name, start, count)
    try:
        return bytes(mixer.mix(recipe, random))
    except NotFinite:
        return b""


def _first_difference(found: Tensor, expected: bytes, start: int, count: int) -> int | None:
    got = _read(found, start, count)
    if got == expected:
        return None
    if len(got) != len(expected):
        return start
    different = np.frombuffer(got, np.uint8) != np.frombuffer(expected, np.uint8)
    return start + int(np.argmax(different)) // (len(got) // count)


def _read(tensor: Tensor, start: int, count: int) -> bytes:
    size = tensor.nbytes // tensor.count
    with tensor.file.open("rb") as stream:
        stream.seek(tensor.start + start * size)
        return stream.read(count * size)
