"""A process that merges pieces of tensors: `python -m agent.weights.worker`.

The first line on stdin is the setup, every later one a piece; each piece is answered by one line on
stdout. A worker keeps no state between pieces and ends when its stdin closes, so it does not
outlive whoever started it. Processes, not threads: the interpreter's lock costs a third of the
speed on two cores, and all of it on many.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from agent.weights import effect
from agent.weights.kernel import (
    BLOCK,
    FLOATS,
    Formula,
    Mixer,
    NotFinite,
    common_dtype,
    formula,
    is_wide,
)

Answer = dict[str, Any]


class Worker:
    """Does the pieces of one merge. `setup`: weights per output, dtype, rounding, seed."""

    def __init__(self, setup: Mapping[str, Any]) -> None:
        self.weights: list[list[float]] = setup["weights"]
        self.dtype: str | None = setup["dtype"]
        self.stochastic: bool = setup["rounding"] == "stochastic"
        self.seed: int = setup["seed"]
        self._mixers: dict[tuple[str, ...], Mixer] = {}

    def do(self, piece: Mapping[str, Any]) -> Answer:
        """One contiguous piece of one tensor, for every output that still needs it.

        A piece: `tensor`, `first` (its first element), `count`, `sources` [[file, offset, dtype]],
        `targets` [[file, offset, index of the output]].
        """
        sources = [(os.open(file, os.O_RDONLY), at, dtype) for file, at, dtype in piece["sources"]]
        targets = [(os.open(file, os.O_WRONLY), at, index) for file, at, index in piece["targets"]]
        try:
            if all(dtype in FLOATS for _, _, dtype in sources):
                return self._mix(piece, sources, targets)
            return self._copy(piece, sources, targets)
        finally:
            for descriptor, *_ in [*sources, *targets]:
                os.close(descriptor)

    def _mix(self, piece: Mapping[str, Any], sources: Any, targets: Any) -> Answer:
        inputs = [dtype for _, _, dtype in sources]
        output = self.dtype or common_dtype(inputs)
        mixer = self._mixer(inputs, output)
        formulas = [formula(weights, wide=is_wide(output)) for weights in self.weights]
        sums = [np.zeros(effect.FIELDS) for _ in targets]
        name, first, size = piece["tensor"], piece["first"], FLOATS[output]
        for start in range(0, piece["count"], BLOCK):
            count = min(BLOCK, piece["count"] - start)
            raw = [mixer.source(i, count) for i in range(len(sources))]
            for view, (file, at, dtype) in zip(raw, sources, strict=True):
                _read(file, view, at + start * FLOATS[dtype])
            index = 0
            try:
                mixer.widen(count)
                for slot, (file, at, index) in enumerate(targets):
                    data = self._block(mixer, formulas[index], inputs, raw, name, first + start)
                    _write(file, data, at + start * size)
                    if (first + start) // BLOCK % effect.EVERY:
                        continue
                    sample = min(count, effect.SAMPLE)
                    sums[slot] += effect.measure(
                        list(zip(raw, inputs, strict=True)),
                        self.weights[index], data, output, sample,
                    )  # fmt: skip
            except NotFinite as problem:
                return {"bad": [first + start + problem.position, str(problem.value), index]}
        return {"sums": [values.tolist() for values in sums]}

    def _block(
        self, mixer: Mixer, formula: Formula, inputs: Sequence[str], raw: Sequence[memoryview],
        name: str, position: int,
    ) -> memoryview:  # fmt: skip
        if formula.copies and inputs[formula.anchor] == mixer.output:
            mixer.check(formula.anchor)
            return raw[formula.anchor]
        random = None
        if self.stochastic and mixer.output == "BF16":
            count = len(raw[0]) // FLOATS[inputs[0]]
            random = uniform16(self.seed, name, position, count)
        return mixer.mix(formula, random)

    def _copy(self, piece: Mapping[str, Any], sources: Any, targets: Any) -> Answer:
        """A tensor without arithmetic (integers, booleans) has to be the same everywhere."""
        size = piece["count"]  # bytes here
        first, *others = (os.pread(file, size, at) for file, at, _ in sources)
        if any(other != first for other in others):
            return {"differs": True}
        for file, at, _ in targets:
            _write(file, memoryview(first), at)
        return {"sums": [[0.0] * effect.FIELDS for _ in targets]}

    def _mixer(self, inputs: Sequence[str], output: str) -> Mixer:
        key = (*inputs, output)
        if key not in self._mixers:
            self._mixers[key] = Mixer(inputs, output, stochastic=self.stochastic)
        return self._mixers[key]


def uniform16(seed: int, name: str, position: int, count: int) -> np.ndarray[Any, Any]:
    """`count` uniform 16-bit numbers for the elements from `position` (a multiple of 16) on.

    A counter-based generator (Philox) keyed on seed and tensor: the numbers depend on neither
    threads nor shards nor where a merge was resumed.
    """
    digest = hashlib.sha256(f"{seed}\0{name}".encode()).digest()
    key = np.frombuffer(digest[:16], np.uint64)
    generator = np.random.Philox(key=key, counter=[position // 16, 0, 0, 0])
    return generator.random_raw((count + 3) // 4).view(np.uint16)[:count]


def _read(file: int, view: memoryview, offset: int) -> None:
    done = 0
    while done < len(view):
        got = os.preadv(file, [view[done:]], offset + done)
        if got == 0:
            raise OSError(0, "the file became shorter while it was read")
        done += got


def _write(file: int, data: memoryview, offset: int) -> None:
    done = 0
    while done < len(data):
        done += os.pwrite(file, data[done:], offset + done)


def main() -> None:
    lines = iter(sys.stdin.buffer.readline, b"")
    worker = Worker(json.loads(next(lines)))
    np.seterr(all="ignore")  # what is not finite is found and named by the mixer
    for line in lines:
        try:
            answer = worker.do(json.loads(line))
        except OSError as error:
            answer = {"error": [error.errno, error.strerror or str(error)]}
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
