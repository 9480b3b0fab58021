"""θ_α as a stream of tensors, for a process that has PyTorch (a vLLM worker)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open

from agent.weights.check import ContentError, check
from agent.weights.checkpoint import open_checkpoint
from agent.weights.kernel import FLOATS, formula, is_wide
from agent.weights.layout import Shard, plan_shards

_BLOCK = 1 << 22  # elements mixed at a time: bounds the float32 temporaries
_DTYPES = {
    "BF16": torch.bfloat16,
    "F16": torch.float16,
    "F32": torch.float32,
    "F64": torch.float64,
}


@dataclass(frozen=True)
class Family:
    """Checkpoints A and B after every check that headers allow."""

    a: Path
    b: Path
    shards: tuple[Shard, ...]

    def tensors(self, alpha: float, *, checked: bool = False) -> Iterator[tuple[str, torch.Tensor]]:
        """The tensors of θ_α, bit for bit those of the merged folder, grouped by layer.

        `checked`: raises ContentError when an input or the result is not finite.
        """
        handles: dict[Path, Any] = {}
        for shard in self.shards:
            for slot in shard.slots:
                sources = []
                for source in slot.sources:
                    if source.file not in handles:
                        handles[source.file] = safe_open(source.file, "pt")
                    sources.append(handles[source.file].get_tensor(slot.name))
                if slot.dtype in FLOATS:
                    if checked:
                        _check_finite(slot.name, sources)
                    yield slot.name, mix(sources, (1.0 - alpha, alpha), slot.dtype)
                elif torch.equal(*sources):
                    yield slot.name, sources[0]
                else:
                    raise ContentError(f"{slot.name}: {slot.dtype} values differ between A and B")


def open_family(a: Path, b: Path, alpha: float) -> Family:
    """Checks everything that can be known without reading tensors. Raises MergeError and others."""
    if not math.isfinite(alpha):
        raise ContentError(f"alpha must be a finite number, got {alpha}")
    inputs = [open_checkpoint(a), open_checkpoint(b)]
    findings = check(inputs)
    findings.raise_for_problems()
    return Family(a, b, plan_shards(inputs, None, dict(findings.dropped)))


def mix(sources: list[torch.Tensor], weights: tuple[float, ...], dtype: str) -> torch.Tensor:
    """Σ wᵢ·xᵢ with the operations, and so the bits, of agent.weights.kernel.

    Works on any device: every step is one operation, so that none is contracted into a fused one.
    """
    recipe = formula(weights, wide=is_wide(dtype))
    target = _DTYPES[dtype]
    anchor = sources[recipe.anchor]
    if recipe.copies:
        return anchor.to(target)
    real = torch.float64 if is_wide(dtype) else torch.float32
    out = torch.empty(anchor.shape, dtype=target, device=anchor.device)
    flat = [source.reshape(-1) for source in sources]
    for start in range(0, anchor.numel(), _BLOCK):
        block = slice(start, start + _BLOCK)
        pivot = flat[recipe.anchor][block].to(real)
        total = pivot * recipe.scale if recipe.scale != 1.0 else pivot
        for i, positive, short, small in recipe.terms:
            other = flat[i][block].to(real)
            term = torch.sub(pivot, other) if positive else torch.sub(other, pivot)
            for part in (short, small) if small else (short,):
                total = torch.sub(total, torch.mul(term, part))
        out.view(-1)[block] = total.to(target)
    return out


def _check_finite(name: str, sources: list[torch.Tensor]) -> None:
    for label, source in zip("AB", sources, strict=True):
        if source.numel() and not bool(torch.isfinite(source).all()):
            raise ContentError(f"{name}: NaN or Inf in {label}")
