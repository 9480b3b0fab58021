"""The arithmetic of a merge, block by block: Σ wᵢ·xᵢ with one rounding, in NumPy.

With the input k of largest weight as anchor and s = Σ wᵢ, the sum is computed as

    s·x_k − Σ_{i≠k} |wᵢ|·tᵢ,    tᵢ = x_k − xᵢ if wᵢ > 0 else xᵢ − x_k

which for a member of a family is A + α(B − A) below α = ½ and B + (1 − α)(A − B) above. In this
form a weight that is the same everywhere keeps its very bits (the sign of zero too), and the
difference of two bfloat16 numbers of similar size is exact in float32. Outputs of 16 bits are
computed in float32, wider ones in float64. A float32 weight with more than 12 significant bits is
applied as the sum of a short and a small part, so that its product with such a difference is exact
as well; without that, results that nearly cancel would lose their last bits.

Blocks are a few hundred KiB: temporaries stay in cache and memory is bounded whatever the model's
size. NumPy releases the interpreter's lock inside every operation, so threads share the work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[Any]  # float32 or float64

BLOCK = 1 << 17  # elements
FLOATS = {"BF16": 2, "F16": 2, "F32": 4, "F64": 8}  # the dtypes that can be merged, in bytes
_STORAGE = {"BF16": np.uint16, "F16": np.float16, "F32": np.float32, "F64": np.float64}
_LIMIT = {  # the largest magnitude that still rounds to a finite number
    "BF16": float(np.uint32(0x7F7F7FFF).view(np.float32)),
    "F16": 65519.99609375,
    "F32": float(np.finfo(np.float32).max),
    "F64": float(np.finfo(np.float64).max),
}
_LOW, _HIGH = np.uint32(0xFFFF), np.uint32(0xFFFF0000)
_16, _ONE, _HALF = np.uint32(16), np.uint32(1), np.uint32(0x7FFF)


@dataclass(frozen=True, slots=True)
class Formula:
    """Weights of a sum over the inputs, prepared for one precision."""

    anchor: int
    scale: float  # Σ w
    terms: tuple[tuple[int, bool, float, float], ...]  # input, w > 0, short and small part of |w|

    @property
    def copies(self) -> bool:
        """The result is the anchor itself, bit for bit."""
        return not self.terms and self.scale == 1.0


def formula(weights: Sequence[float], *, wide: bool) -> Formula:
    """`wide`: the sum is computed in float64."""
    anchor = max(range(len(weights)), key=lambda i: abs(weights[i]))
    scale = sum(weights)
    if abs(scale - 1.0) < 1e-12:
        scale = 1.0
    terms = []
    for i, weight in enumerate(weights):
        if i != anchor and weight != 0.0:
            size = abs(weight)
            short = size if wide else _short(size)
            terms.append((i, weight > 0, short, size - short))
    return Formula(anchor, scale, tuple(terms))


def _short(value: float) -> float:
    """`value` cut to 12 significant bits."""
    mantissa, exponent = np.frexp(value)
    return float(np.ldexp(np.trunc(np.ldexp(mantissa, 12)), int(exponent) - 12))


class NotFinite(ValueError):
    """A block holds NaN or Inf, or overflows the output dtype. `position`: element in the block."""

    def __init__(self, position: int, value: float) -> None:
        super().__init__(f"{value} at element {position}")
        self.position, self.value = position, value


def is_wide(output: str) -> bool:
    """Whether sums for this output dtype are computed in float64."""
    return FLOATS[output] > 2


def common_dtype(dtypes: Sequence[str]) -> str:
    """The narrowest dtype that holds the numbers of all (BF16 and F16 meet in F32)."""
    distinct = set(dtypes)
    if len(distinct) == 1:
        return dtypes[0]
    return "F64" if "F64" in distinct else "F32"


class Mixer:
    """Scratch space of one thread, for blocks of up to `capacity` (even) elements.

    `inputs`: the dtypes of the sources. When all of them and the output are bfloat16 and rounding
    is to nearest, two numbers are handled as one 32-bit word: the low halves of the words of a
    block form one row of the scratch space and the high halves another, which is cheaper than
    spreading them. Everything else keeps the natural order.
    """

    def __init__(
        self, inputs: Sequence[str], output: str, *, stochastic: bool = False, capacity: int = BLOCK
    ) -> None:
        self.output = output
        self._inputs = tuple(inputs)
        self._packed = set(inputs) == {"BF16"} and output == "BF16" and not stochastic
        self._real = real = np.float64 if is_wide(output) else np.float32
        words = {dtype: (capacity * size + 3) // 4 for dtype, size in FLOATS.items()}
        self._raw = [np.zeros(words[dtype], np.uint32) for dtype in inputs]
        self._x = [np.zeros(capacity, real) for _ in inputs]
        self._sum, self._term, self._product = (np.zeros(capacity, real) for _ in range(3))
        self._out = np.zeros(words[output], np.uint32)
        self._block = _Views(self, capacity)

    def source(self, index: int, count: int) -> memoryview:
        """Where the bytes of the next block of source `index` are to be put."""
        return self._raw[index].data.cast("B")[: count * FLOATS[self._inputs[index]]]

    def widen(self, count: int) -> None:
        """Takes `count` elements of every source into the precision of the sum."""
        if count != self._block.count:
            self._block = _Views(self, count)
        if not self._packed:
            for raw, x, dtype in zip(self._raw, self._block.x, self._inputs, strict=True):
                np.copyto(x, decode(raw.view(np.uint8), dtype, count))
            return
        for words, rows in self._block.words:
            if count % 2:
                words[-1] &= _LOW
            np.left_shift(words, _16, out=rows[0])
            np.bitwise_and(words, _HIGH, out=rows[1])

    def mix(self, formula: Formula, random: npt.NDArray[np.uint16] | None = None) -> memoryview:
        """The bytes of Σ wᵢ·xᵢ in the output dtype, valid until the next call.

        `random`: a uniform 16-bit number for every element, for stochastic rounding. Raises
        NotFinite.
        """
        block, real = self._block, self._real
        total, term = block.sum, block.term
        start = anchor = block.x[formula.anchor]
        if formula.scale != 1.0:
            start = np.multiply(anchor, real(formula.scale), out=total)
        for i, positive, short, small in formula.terms:
            other = block.x[i]
            np.subtract(*((anchor, other) if positive else (other, anchor)), out=term)
            for part in (short, small) if small else (short,):
                product = total if start is anchor else block.product
                np.multiply(term, real(part), out=product)
                start = np.subtract(start, product, out=total)
        if start is anchor:
            np.copyto(total, anchor)
        self._check(total)
        return self._encode(total, random)

    def check(self, index: int) -> None:
        """Raises NotFinite when source `index` holds NaN or Inf."""
        self._check(self._block.x[index])

    def _check(self, x: Floats) -> None:
        limit = _LIMIT[self.output]
        if not x.size or (np.minimum.reduce(x) >= -limit and np.maximum.reduce(x) <= limit):
            return  # a NaN makes both comparisons false
        natural = x.reshape(2, -1).T.reshape(-1) if self._packed else x
        position = int(np.flatnonzero(~(np.abs(natural) <= limit))[0])
        raise NotFinite(position, float(natural[position]))

    def _encode(self, total: Floats, random: npt.NDArray[np.uint16] | None) -> memoryview:
        block = self._block
        if self.output != "BF16":
            np.copyto(block.stored, total, casting="same_kind")
            return block.bytes
        bits, spare = block.bits, block.spare
        if random is not None:
            # A fraction of the step as large as the part that is cut off rounds away from zero.
            np.add(bits, random, out=bits)
        else:
            _round(bits, spare)
        if self._packed:
            low, high = block.halves
            np.right_shift(low, _16, out=low)
            np.bitwise_and(high, _HIGH, out=high)
            np.bitwise_or(low, high, out=block.packed)
        else:
            np.right_shift(bits, _16, out=spare)
            np.copyto(block.stored, spare, casting="unsafe")
        return block.bytes


class _Views:
    """The parts of a Mixer's scratch space that a block of `count` elements uses.

    Made once per size: making NumPy views costs as much as adding a few thousand numbers.
    """

    def __init__(self, mixer: Mixer, count: int) -> None:
        half = (count + 1) // 2
        used = 2 * half if mixer._packed else count
        self.count = count
        self.x = [x[:used] for x in mixer._x]
        self.sum, self.term = mixer._sum[:used], mixer._term[:used]
        self.product = mixer._product[:used]
        self.stored = mixer._out.view(_STORAGE[mixer.output])[:count]
        self.bytes = mixer._out.data.cast("B")[: count * FLOATS[mixer.output]]
        if mixer.output == "BF16":
            self.bits, self.spare = self.sum.view(np.uint32), self.term.view(np.uint32)
        if mixer._packed:
            self.packed = mixer._out[:half]
            self.halves = (self.bits[:half], self.bits[half:])
            self.words = [
                (raw[:half], x.view(np.uint32).reshape(2, half))
                for raw, x in zip(mixer._raw, self.x, strict=True)
            ]


def _round(bits: npt.NDArray[np.uint32], spare: npt.NDArray[np.uint32]) -> None:
    """Rounds finite float32 bits in place so that the high half is the nearest bfloat16.

    Ties go to even: adds just under half a step, and the rest if the last kept bit is odd.
    """
    np.right_shift(bits, _16, out=spare)
    np.bitwise_and(spare, _ONE, out=spare)
    np.add(spare, _HALF, out=spare)
    np.add(bits, spare, out=bits)


def encode(values: Floats, dtype: str) -> bytes:
    """Finite float32 numbers as bytes of `dtype`, rounded to nearest."""
    if dtype != "BF16":
        return values.astype(_STORAGE[dtype]).tobytes()
    bits = values.astype(np.float32).reshape(-1).view(np.uint32)
    _round(bits, np.empty_like(bits))
    return (bits >> _16).astype(np.uint16).tobytes()


def decode(data: npt.NDArray[np.uint8], dtype: str, count: int) -> Floats:
    """The first `count` numbers in `data` (little-endian bytes of `dtype`), exactly."""
    stored = data[: count * FLOATS[dtype]].view(_STORAGE[dtype])
    if dtype != "BF16":
        return stored
    bits = stored.astype(np.uint32)
    return np.left_shift(bits, _16, out=bits).view(np.float32)
