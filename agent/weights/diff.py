"""How two checkpoints differ: the task vector B − A, per layer or per kind of tensor."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from agent.weights.check import check
from agent.weights.checkpoint import Tensor, open_checkpoint
from agent.weights.effect import layer_of
from agent.weights.kernel import FLOATS, decode

_WHOLE = 1 << 20  # elements up to which a tensor is read whole; larger ones are sampled
_PIECES = 16
BELOW_STEP = 0.05  # a larger share of moves below the bfloat16 step is worth a warning


@dataclass(frozen=True, slots=True)
class Difference:
    """One group of tensors. Norms are of the whole group, estimated where it was sampled."""

    group: str
    elements: int
    norm: float  # ‖B − A‖
    relative: float  # ‖B − A‖ / ‖A‖
    changed: float  # share of elements with B ≠ A
    below_step: float  # share of the changed ones that moved by less than a bfloat16 step at A
    cosine: float | None  # between A − init and B − init, when init is given


def diff(
    a: Path, b: Path, *, init: Path | None = None, by: str = "layer", threads: int | None = None
) -> tuple[list[Difference], list[str]]:
    """Differences per group (`by`: "layer" or "kind"), "all" last, and warnings.

    Tensors of more than a million elements are sampled in sixteen evenly spaced pieces. Raises
    MergeError and UsageError as a merge of the same checkpoints would.
    """
    opened = [open_checkpoint(path) for path in (a, b, *([init] if init else []))]
    findings = check(opened)
    findings.raise_for_problems()
    dropped = {head for head, _ in findings.dropped}
    names = [
        name
        for name, tensor in opened[0].tensors.items()
        if name not in dropped and tensor.dtype in FLOATS and tensor.count
    ]
    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        sums = list(pool.map(lambda name: _sums([c.tensors[name] for c in opened]), names))
    groups: dict[str, Any] = {}
    for name, values in zip(names, sums, strict=True):
        layer, kind = layer_of(name)
        key = layer if by == "layer" else kind
        groups[key] = groups.get(key, 0) + values
    if sums:
        groups["all"] = sum(sums)
    order = sorted(groups, key=lambda key: (key == "all", int(key) if key.isdigit() else -1))
    rows = [_row(group, groups[group], init is not None) for group in order]
    return rows, _warnings(rows)


def _sums(tensors: Sequence[Tensor]) -> np.ndarray[Any, Any]:
    """Counts and sums of squares over a tensor, scaled up to its size where it is sampled."""
    total = np.zeros(8)
    seen = 0
    for start, count in _spans(tensors[0].count):
        a, b, *rest = (_values(tensor, start, count) for tensor in tensors)
        delta = b - a
        moved = delta != 0
        # The spacing of bfloat16 at |a|: 8 significant bits, exponents down to −126.
        step = np.exp2(np.maximum(np.frexp(np.abs(a))[1] - 1, -126) - 7)
        small = np.count_nonzero(moved & (np.abs(delta) < step))
        one, two = (a - rest[0], b - rest[0]) if rest else (delta, delta)
        total += [
            count, np.count_nonzero(moved), small, delta @ delta, a @ a,
            one @ two, one @ one, two @ two,
        ]  # fmt: skip
        seen += count
    return total * (tensors[0].count / seen)


def _spans(count: int) -> list[tuple[int, int]]:
    if count <= _WHOLE:
        return [(0, count)]
    size = _WHOLE // _PIECES
    return [(i * (count - size) // (_PIECES - 1), size) for i in range(_PIECES)]


def _values(tensor: Tensor, start: int, count: int) -> np.ndarray[Any, Any]:
    size = FLOATS[tensor.dtype]
    raw = np.fromfile(tensor.file, np.uint8, count * size, offset=tensor.start + start * size)
    return decode(raw, tensor.dtype, count).astype(np.float64)


def _row(group: str, values: np.ndarray[Any, Any], cosine: bool) -> Difference:
    elements, moved, small, delta, a, cross, one, two = (float(value) for value in values)
    return Difference(
        group=group,
        elements=round(elements),
        norm=math.sqrt(delta),
        relative=math.sqrt(delta / a) if a else math.inf if delta else 0.0,
        changed=moved / elements if elements else 0.0,
        below_step=small / moved if moved else 0.0,
        cosine=cross / math.sqrt(one * two) if cosine and one and two else None,
    )


def _warnings(rows: Sequence[Difference]) -> list[str]:
    if not rows:
        return []
    total, warnings = rows[-1], []
    if total.changed == 0:
        warnings.append("the two checkpoints hold the same weights")
    if total.below_step > BELOW_STEP:
        warnings.append(
            f"{total.below_step:.0%} of the moved weights moved by less than a bfloat16 step: keep "
            "float32 masters and merge with --dtype float32 or --rounding stochastic"
        )
    elif 0 < total.changed < 0.5:
        warnings.append(
            f"only {total.changed:.0%} of the weights differ: if they moved by one bfloat16 "
            "step, members between A and B are staircases; see the effective alpha of each merge"
        )
    return warnings
