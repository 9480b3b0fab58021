"""θ = Σ wᵢ·θᵢ over whole checkpoints: one streaming pass over the inputs writes every output."""

from __future__ import annotations

import errno
import math
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from agent.errors import UsageError
from agent.weights import carry, effect, provenance
from agent.weights.check import ContentError, MergeError, check
from agent.weights.checkpoint import INDEX, Checkpoint, Tensor, open_checkpoint
from agent.weights.effect import Effect
from agent.weights.identity import checkpoint_identity
from agent.weights.kernel import FLOATS
from agent.weights.layout import Shard, Slot, index, plan_shards
from agent.weights.names import alpha_text
from agent.weights.pool import Piece, default_workers, run_pieces
from agent.weights.stage import Stage

DTYPES = {"bfloat16": "BF16", "float16": "F16", "float32": "F32"}
ROUNDINGS = ("nearest", "stochastic")
_PIECE = 1 << 23  # elements handed to a worker at a time; a multiple of kernel.BLOCK
_WORKER_BYTES = 64 << 20  # to read and write: what makes starting another worker worth it
_RESERVE = 64 << 20  # bytes beside the weights that an output may need

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Target:
    """One output: its folder and the weight of every input. `alpha`: of a member of a family."""

    path: Path
    weights: tuple[float, ...]
    alpha: float | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything beside the inputs and weights that an output's bytes depend on."""

    dtype: str | None = None  # a key of DTYPES; None: the inputs'
    rounding: str = "nearest"
    seed: int = 0  # of stochastic rounding
    donor: int = -1  # the input that config, tokenizer and the like come from


@dataclass(frozen=True, slots=True)
class MemberReport:
    path: Path
    weights: tuple[float, ...]
    alpha: float | None
    effects: Mapping[str, Effect]  # per layer, and "all"
    warnings: tuple[str, ...]
    reused: bool = False  # it was there already, made from the same inputs and settings

    @property
    def effective_alpha(self) -> float | None:
        """The α that the rounded weights stand for, over all layers."""
        return None if self.alpha is None else self.effects["all"].alpha(self.alpha)


@dataclass(frozen=True, slots=True)
class MergeReport:
    members: tuple[MemberReport, ...]
    notes: tuple[str, ...]  # what differed between the inputs
    seconds: float
    bytes_read: int
    bytes_written: int


def merge_members(
    a: Path,
    b: Path,
    outputs: Mapping[float, Path],
    *,
    dtype: str | None = None,
    rounding: str = "nearest",
    seed: int = 0,
    carry_from: str = "B",
    threads: int | None = None,
    progress: Progress | None = None,
) -> MergeReport:
    """Writes θ_α = α·B + (1−α)·A to `outputs[α]` for every α, in one pass over A and B.

    `dtype`: "bfloat16", "float16" or "float32" (default: the inputs'). `carry_from`: whose config,
    tokenizer and chat template are used where A's and B's differ. `progress(done, total)` is
    called with bytes read and written. A folder appears under its name only when it is whole; a
    merge that was killed is taken up again at the first unfinished shard. Raises MergeError
    (tensor and reason) and UsageError.
    """
    if carry_from not in ("A", "B"):
        raise UsageError(f"carry_from is {carry_from!r}; give A or B")
    for alpha in outputs:
        alpha_text(alpha)  # refuses what is not finite
    targets = [Target(path, (1.0 - alpha, alpha), alpha) for alpha, path in outputs.items()]
    settings = Settings(dtype, rounding, seed, "AB".index(carry_from))
    return combine([a, b], targets, settings, threads=threads, progress=progress)


def combine(
    folders: Sequence[Path],
    targets: Sequence[Target],
    settings: Settings = Settings(),
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    recipe: Mapping[str, Any] | None = None,
) -> MergeReport:
    """Writes Σ wᵢ·θᵢ over the checkpoints in `folders` for every target, in one pass.

    As `merge_members`, for any number of inputs. `recipe`: recorded in the provenance.
    """
    started = time.monotonic()
    _validate(folders, targets, settings)
    inputs = [open_checkpoint(folder) for folder in folders]
    findings = check(inputs)
    findings.raise_for_problems()
    _check_heads(inputs, findings.dropped)
    carried = carry.choose(folders, settings.donor)
    shards = plan_shards(inputs, DTYPES.get(settings.dtype or ""), dict(findings.dropped))
    work = _Work(
        targets=[],
        shards=shards,
        settings=settings,
        progress=progress or (lambda done, total: None),
    )
    sources = [provenance.source(folder, checkpoint_identity(folder)) for folder in folders]
    notes = findings.notes + carried.notes
    members: dict[Path, MemberReport] = {}
    documents: dict[Path, dict[str, Any]] = {}
    for target in targets:
        document = provenance.document(target.weights, target.alpha, sources, settings, recipe)
        kept = provenance.finished(target.path, document["fingerprint"])
        if kept is not None:
            effects = {layer: Effect(**values) for layer, values in kept["effects"].items()}
            members[target.path] = _report(target, effects, reused=True)
        else:
            work.targets.append(target)
            documents[target.path] = document
    changed = None if settings.dtype is None else DTYPES[settings.dtype]
    try:
        work.run(threads, {path: doc["fingerprint"] for path, doc in documents.items()})
        for stage, target in zip(work.stages, work.targets, strict=True):
            member = _report(target, work.effects(stage), reused=False)
            members[target.path] = member
            _finish(stage, member, documents[target.path], shards, carried, changed, notes)
    except BaseException as error:
        for stage in work.stages:
            stage.discard() if isinstance(error, ContentError) else stage.rest()
        raise
    return MergeReport(
        tuple(members[target.path] for target in targets),
        notes,
        time.monotonic() - started,
        work.read,
        work.written,
    )


@dataclass
class _Work:
    """The pass over the inputs: pieces, shards as they become whole, and their samples."""

    targets: list[Target]
    shards: Sequence[Shard]
    settings: Settings
    progress: Progress
    stages: list[Stage] = field(default_factory=list)
    read: int = 0
    written: int = 0
    _left: dict[str, int] = field(default_factory=dict)  # pieces of a shard that are not done
    _sums: dict[tuple[int, str], dict[str, Any]] = field(default_factory=dict)
    _named: list[Future[None]] = field(default_factory=list)

    def run(self, threads: int | None, fingerprints: Mapping[Path, str]) -> None:
        if not self.targets:
            return
        for target in self.targets:
            self.stages.append(Stage(target.path))
            self.stages[-1].open(fingerprints[target.path])
        self._check_space()
        self._pass(threads)

    def effects(self, stage: Stage) -> dict[str, Effect]:
        sums: dict[str, Any] = {}
        for shard in self.shards:
            sums.update(stage.read_json(_stats(shard.name)))
        return effect.by_layer(sums)

    def _pass(self, threads: int | None) -> None:
        todo = [(shard, self._missing(shard)) for shard in self.shards]
        self._total = sum(
            source.nbytes for shard, slots in todo if slots
            for slot in shard.slots for source in slot.sources
        ) + sum(shard.size * len(slots) for shard, slots in todo)  # fmt: skip
        setup = {
            "weights": [target.weights for target in self.targets],
            "dtype": DTYPES.get(self.settings.dtype or ""),
            "rounding": self.settings.rounding,
            "seed": self.settings.seed,
        }
        # Flushing a shard to the disk must not hold up the workers: one thread does it apart.
        with ThreadPoolExecutor(1) as self._namer:
            groups = (self._pieces(shard, slots) for shard, slots in todo if slots)
            workers = threads or min(default_workers(), 1 + self._total // _WORKER_BYTES)
            run_pieces(setup, groups, self._done, workers)
            for named in self._named:
                _translated(named.result)

    def _missing(self, shard: Shard) -> list[int]:
        return [
            slot
            for slot, stage in enumerate(self.stages)
            if not (stage.has(shard.name) and stage.has(_stats(shard.name)))
        ]

    def _pieces(self, shard: Shard, slots: Sequence[int]) -> Iterator[Piece]:
        paths = [self._part(shard, slot) for slot in slots]
        pieces = [piece for tensor in shard.slots for piece in _split(tensor)]
        self._left[shard.name] = len(pieces)
        for slot in slots:
            self._sums[slot, shard.name] = {}
        if not pieces:
            self._whole(shard.name, slots)
        for tensor, first, count, unit in pieces:
            sizes = [FLOATS[source.dtype] if unit else 1 for source in tensor.sources]
            yield {
                "tensor": tensor.name,
                "first": first,
                "count": count,
                "sources": [
                    [str(source.file), source.start + first * size, source.dtype]
                    for source, size in zip(tensor.sources, sizes, strict=True)
                ],
                "targets": [
                    [str(path), tensor.start + first * (unit or 1), slot]
                    for path, slot in zip(paths, slots, strict=True)
                ],
                "shard": shard.name,
                "shape": tensor.sources[0].shape,
                "read": count * sum(sizes),
                "written": count * (unit or 1) * len(slots),
            }

    def _part(self, shard: Shard, slot: int) -> Path:
        try:
            return self.stages[slot].part(shard.name, shard.size, shard.head)
        except OSError as error:
            raise _failed(error, str(self.stages[slot].target)) from None

    def _done(self, piece: Piece, answer: Mapping[str, Any]) -> None:
        if "sums" not in answer:
            raise self._error(piece, answer)
        shard, slots = piece["shard"], [slot for _, _, slot in piece["targets"]]
        for slot, sums in zip(slots, answer["sums"], strict=True):
            kept = self._sums[slot, shard]
            kept[piece["tensor"]] = kept.get(piece["tensor"], 0.0) + np.array(sums)
        self.read += piece["read"]
        self.written += piece["written"]
        self.progress(self.read + self.written, self._total)
        self._left[shard] -= 1
        if self._left[shard] == 0:
            self._whole(shard, slots)

    def _whole(self, shard: str, slots: Sequence[int]) -> None:
        for slot in slots:
            sums = self._sums.pop((slot, shard))
            self._named.append(self._namer.submit(self._name, self.stages[slot], shard, sums))

    @staticmethod
    def _name(stage: Stage, shard: str, sums: Mapping[str, Any]) -> None:
        stage.write_json(_stats(shard), {name: list(values) for name, values in sums.items()})
        stage.keep(shard)

    def _error(self, piece: Piece, answer: Mapping[str, Any]) -> MergeError:
        tensor = piece["tensor"]
        if "bad" in answer:
            position, value, target = answer["bad"]
            where = [int(i) for i in np.unravel_index(position, piece["shape"] or (1,))]
            label = _label(self.targets[target])
            return ContentError(
                f"{tensor}: not finite ({value} at {where} of {label}): an input holds NaN or Inf "
                "or the result overflows its dtype"
            )
        if "differs" in answer:
            dtype = piece["sources"][0][2]
            return ContentError(
                f"{tensor}: {dtype} values differ between the inputs, and only floating-point "
                "tensors can be merged (is it quantized?)"
            )
        number, text = answer["error"]
        return _failed(OSError(number, text), tensor)

    def _check_space(self) -> None:
        needed: dict[int, int] = {}
        for slot, stage in enumerate(self.stages):
            device = os.stat(stage.folder).st_dev
            size = sum(shard.size for shard in self.shards if slot in self._missing(shard))
            needed[device] = needed.get(device, _RESERVE) + size
        for stage in self.stages:
            space = os.statvfs(stage.folder)
            free = space.f_bavail * space.f_frsize
            if needed[os.stat(stage.folder).st_dev] > free:
                raise MergeError(
                    f"{stage.target.parent}: {needed[os.stat(stage.folder).st_dev] / 1e9:,.1f} GB "
                    f"are needed and {free / 1e9:,.1f} GB are free"
                )


def _split(slot: Slot) -> Iterator[tuple[Slot, int, int, int]]:
    """(tensor, first, count, bytes of an output element); in bytes, unit 0, without arithmetic."""
    floats = all(source.dtype in FLOATS for source in slot.sources)
    total = slot.sources[0].count if floats else slot.nbytes
    for first in range(0, total, _PIECE):
        yield slot, first, min(_PIECE, total - first), FLOATS[slot.dtype] if floats else 0


def _validate(folders: Sequence[Path], targets: Sequence[Target], settings: Settings) -> None:
    if settings.dtype is not None and settings.dtype not in DTYPES:
        raise UsageError(f"dtype {settings.dtype!r}; give one of {', '.join(DTYPES)}")
    if settings.rounding not in ROUNDINGS:
        raise UsageError(f"rounding {settings.rounding!r}; give nearest or stochastic")
    if settings.rounding == "stochastic" and settings.dtype not in (None, "bfloat16"):
        raise UsageError("stochastic rounding is for bfloat16 output; leave out --dtype")
    if not targets:
        raise UsageError("nothing to write: give at least one alpha")
    inputs = {folder.resolve() for folder in folders}
    paths = [target.path.resolve() for target in targets]
    if len(set(paths)) < len(paths):
        raise UsageError("two outputs have the same name")
    for target, path in zip(targets, paths, strict=True):
        if any(path == source or source in path.parents for source in inputs):
            raise UsageError(f"{target.path}: lies in an input folder")
        if not all(map(math.isfinite, target.weights)):
            raise UsageError(f"{target.path}: its weights are not finite: {target.weights}")


def _check_heads(inputs: Sequence[Checkpoint], dropped: Sequence[tuple[str, str]]) -> None:
    """A head that only some inputs store must be the very embedding that it is tied to."""
    for head, embedding in dropped:
        for checkpoint in inputs:
            if head in checkpoint.tensors and not _same(
                checkpoint.tensors[head], checkpoint.tensors[embedding]
            ):
                raise ContentError(
                    f"{head}: in {checkpoint.folder} only, where config.json ties it to "
                    f"{embedding}, but the two differ"
                )


def _same(one: Tensor, two: Tensor) -> bool:
    if (one.dtype, one.shape) != (two.dtype, two.shape):
        return False
    with one.file.open("rb") as left, two.file.open("rb") as right:
        left.seek(one.start)
        right.seek(two.start)
        remaining = one.nbytes
        while remaining:
            size = min(remaining, 1 << 22)
            if left.read(size) != right.read(size):
                return False
            remaining -= size
    return True


def _report(target: Target, effects: Mapping[str, Effect], *, reused: bool) -> MemberReport:
    warnings = []
    if target.alpha is not None and (line := effect.warning(target.alpha, effects)):
        warnings.append(line)
    if abs(sum(target.weights) - 1.0) > 1e-9:
        warnings.append(f"the weights sum to {sum(target.weights):g}, not to 1")
    return MemberReport(target.path, target.weights, target.alpha, effects, tuple(warnings), reused)


def _finish(
    stage: Stage,
    member: MemberReport,
    document: dict[str, Any],
    shards: Sequence[Shard],
    carried: carry.Carried,
    dtype: str | None,
    notes: Sequence[str],
) -> None:
    """Everything beside the shards, the index last; then the folder gets its name."""
    document |= {
        "notes": list(notes),
        "warnings": list(member.warnings),
        "effective_alpha": member.effective_alpha,
        "effects": effect.as_json(member.effects),
    }

    def write() -> None:
        for shard in shards:
            stage.remove(_stats(shard.name))
        carry.copy(carried, stage.folder, dtype)
        stage.write_json(provenance.FILE, document)
        (stage.folder / "README.md").write_text(
            provenance.model_card(member.path.name, document), encoding="utf-8"
        )
        listing = index(shards, {"theta": provenance.summary(document)})
        if listing is not None:
            stage.write_json(INDEX, listing)
        stage.publish()

    _translated(write)


def _stats(shard: str) -> str:
    return f".{shard}.effects.json"


def _label(target: Target) -> str:
    return f"alpha {target.alpha:g}" if target.alpha is not None else str(target.path)


def _translated(action: Callable[[], Any]) -> Any:
    try:
        return action()
    except OSError as error:
        raise _failed(error, str(error.filename or "")) from None


def _failed(error: OSError, where: str) -> MergeError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return MergeError(
            f"{where}: the disk is full; free some space and run the same command again "
            "(finished shards are kept)"
        )
    return MergeError(f"{where}: {error.strerror or error}")
