"""What rounding did to a merge: the effective α of every layer, measured on a sample.

With D = ideal − A (ideal: the sum before rounding, in float64) and θ what was written, the gain
⟨θ − A, D⟩ / ‖D‖² is the share of the intended step that was taken, and α times it is the effective
α. Most weights that a short training run moves are moved by one bfloat16 step; a quarter of that
step rounds to nothing, so that α = 0.25 may act as 0.03 while 0.5 is right on average.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from agent.weights.kernel import decode

EVERY = 4  # a tensor's first block is sampled, and every fourth one after it
SAMPLE = 1 << 12  # elements sampled at the start of a block
TOLERANCE = 0.02  # warn when |effective α − α| is larger

_LAYER = re.compile(r"(?:^|\.)(?:layers|h|blocks|block)\.(\d+)\.(.+)")
FIELDS = 6


def layer_of(name: str) -> tuple[str, str]:
    """(layer, kind) of a tensor: `model.layers.3.mlp.up_proj.weight` → ("3", "mlp.up_proj.weight").

    Tensors outside the stack of layers are a layer of their own.
    """
    match = _LAYER.search(name)
    return (match[1], match[2]) if match else (name, name)


@dataclass(frozen=True, slots=True)
class Effect:
    """One layer, or all of them."""

    sampled: int  # elements
    changed: float  # share of elements that differ between A and B
    relative_step: float  # ‖D‖ / ‖A‖
    gain: float  # ⟨θ − A, D⟩ / ‖D‖²; 1 when D = 0
    noise: float  # ‖θ − ideal‖ / ‖D‖; 0 when D = 0

    def alpha(self, alpha: float) -> float:
        return alpha * self.gain

    @property
    def uncertainty(self) -> float:
        """Standard error of `gain`, from the size of the sample."""
        return self.noise / math.sqrt(max(1.0, self.sampled * self.changed))


def measure(
    sources: Sequence[tuple[memoryview, str]],
    weights: Sequence[float],
    written: memoryview,
    dtype: str,
    count: int,
) -> np.ndarray[Any, Any]:
    """Sums over one sample of `count` elements, to be added up per layer.

    `sources`: the raw bytes and the dtype of every input.
    """
    x = [
        decode(np.frombuffer(raw, np.uint8), kind, count).astype(np.float64)
        for raw, kind in sources
    ]
    theta = decode(np.frombuffer(written, np.uint8), dtype, count).astype(np.float64)
    step = (sum(weights) - 1.0) * x[0]
    for weight, other in zip(weights[1:], x[1:], strict=True):
        step += weight * (other - x[0])
    taken = theta - x[0]
    missed = taken - step
    changed = np.zeros(count, bool)
    for other in x[1:]:
        changed |= other != x[0]
    return np.array(
        [
            count,
            np.count_nonzero(changed),
            np.einsum("i,i->", x[0], x[0]),
            np.einsum("i,i->", step, step),
            np.einsum("i,i->", taken, step),
            np.einsum("i,i->", missed, missed),
        ]
    )


def effect(sums: np.ndarray[Any, Any]) -> Effect:
    count, changed, base, step, taken, missed = (float(value) for value in sums)
    return Effect(
        sampled=int(count),
        changed=changed / count if count else 0.0,
        relative_step=math.sqrt(step / base) if base else 0.0,
        gain=taken / step if step else 1.0,
        noise=math.sqrt(missed / step) if step else 0.0,
    )


def by_layer(sums: Mapping[str, Sequence[float]]) -> dict[str, Effect]:
    """Effects per layer from sums per tensor; the key "all" holds the total."""
    layers: dict[str, np.ndarray[Any, Any]] = {"all": np.zeros(FIELDS)}
    for name, values in sums.items():
        layer = layer_of(name)[0]
        layers.setdefault(layer, np.zeros(FIELDS))
        layers[layer] += values
        layers["all"] += values
    return {layer: effect(layers[layer]) for layer in sorted(layers, key=_layer_order)}


def _layer_order(layer: str) -> tuple[bool, bool, int]:
    """The total first, then the stack in order, then the rest as it came."""
    number = layer.isdigit()
    return layer != "all", not number, int(layer) if number else 0


def warning(alpha: float, effects: Mapping[str, Effect]) -> str | None:
    """A line for the user when rounding bent α by more than TOLERANCE somewhere."""
    off = {
        layer: effect.alpha(alpha)
        for layer, effect in effects.items()
        if abs(effect.alpha(alpha) - alpha) > TOLERANCE + 4 * abs(alpha) * effect.uncertainty
    }
    if not off:
        return None
    worst = max(off, key=lambda layer: abs(off[layer] - alpha))
    layers = len(effects) - 1
    return (
        f"effective alpha is {effects['all'].alpha(alpha):.3f} instead of {alpha:g} overall "
        f"({len(off) - ('all' in off)} of {layers} layers off by more than {TOLERANCE}, worst "
        f"{worst}: {off[worst]:.3f}): the weights moved by less than a bfloat16 step; "
        "use --rounding stochastic or --dtype float32"
    )


def as_json(effects: Mapping[str, Effect]) -> dict[str, dict[str, float]]:
    return {layer: asdict(value) for layer, value in effects.items()}
