"""A Hugging Face model folder seen from its safetensors headers; no tensor data is read here."""

from __future__ import annotations

import json
import math
import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.errors import UsageError

ITEMSIZE = {
    "F64": 8, "F32": 4, "F16": 2, "BF16": 2,
    "F8_E4M3": 1, "F8_E5M2": 1, "F8_E8M0": 1, "F8_E4M3FNUZ": 1, "F8_E5M2FNUZ": 1,
    "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U64": 8, "U32": 4, "U16": 2, "U8": 1, "BOOL": 1,
    "C64": 8,
}  # fmt: skip
INDEX = "model.safetensors.index.json"
SINGLE = "model.safetensors"
_HEADER_LIMIT = 100_000_000  # bytes; the format's own limit


class CheckpointError(UsageError):
    """A model folder cannot be used: names the file, the reason and what to do."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """Where one tensor lies. `start` counts from the beginning of `file`."""

    name: str
    dtype: str  # as safetensors spells it: BF16, F32, I64, …
    shape: tuple[int, ...]
    file: Path
    start: int
    nbytes: int

    @property
    def count(self) -> int:
        return math.prod(self.shape)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    folder: Path
    config: Mapping[str, Any]  # empty when there is no config.json
    tensors: Mapping[str, Tensor]  # in the order of the files, then of the data in them
    shards: Mapping[str, tuple[str, ...]]  # file name → tensor names in data order

    @property
    def nbytes(self) -> int:
        return sum(tensor.nbytes for tensor in self.tensors.values())

    @property
    def tied(self) -> bool:
        """Whether the output head is the input embedding (`tie_word_embeddings`).

        Without the key, transformers' own default depends on the architecture; what the folder
        holds then decides: a head of its own means untied.
        """
        flag = self.config.get("tie_word_embeddings")
        if flag is None:
            flag = (self.config.get("text_config") or {}).get("tie_word_embeddings")
        if flag is None:
            return bool(self.config) and not any(n.endswith("lm_head.weight") for n in self.tensors)
        return bool(flag)


def open_checkpoint(folder: Path) -> Checkpoint:
    """Reads the headers of `folder` and checks that they agree with the files and the index.

    Raises CheckpointError for everything that is not a whole safetensors model folder.
    """
    if not folder.is_dir():
        raise CheckpointError(f"{folder}: no such folder; give a model folder with config.json")
    files = _weight_files(folder)
    tensors: dict[str, Tensor] = {}
    shards: dict[str, tuple[str, ...]] = {}
    for file in files:
        found = read_header(file)
        for tensor in found:
            if tensor.name in tensors:
                other = tensors[tensor.name].file.name
                raise CheckpointError(f"{folder}: {tensor.name} is in {other} and in {file.name}")
            tensors[tensor.name] = tensor
        shards[file.name] = tuple(tensor.name for tensor in found)
    _match_index(folder, tensors)
    if not tensors:
        raise CheckpointError(f"{folder}: the safetensors files hold no tensors")
    return Checkpoint(folder, read_json(folder / "config.json"), tensors, shards)


def read_header(file: Path) -> list[Tensor]:
    """The tensors of one safetensors file in data order.

    The header is untrusted: every offset is checked against the shape and the file's size, so that
    a truncated or damaged file is found before any data is read.
    """
    try:
        with file.open("rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            head = stream.read(8)
            length = struct.unpack("<Q", head)[0] if len(head) == 8 else -1
            if not 0 < length <= min(_HEADER_LIMIT, size - 8):
                raise CheckpointError(f"{file}: truncated or not a safetensors file")
            header = json.loads(stream.read(length))
    except OSError as error:
        raise CheckpointError(f"{file}: {error.strerror or error}") from None
    except ValueError:
        raise CheckpointError(f"{file}: its header is damaged") from None
    if not isinstance(header, dict):
        raise CheckpointError(f"{file}: its header is damaged")
    base = 8 + length
    tensors = [
        _tensor(file, base, str(name), entry)
        for name, entry in header.items()
        if name != "__metadata__"
    ]
    tensors.sort(key=lambda tensor: (tensor.start, tensor.nbytes))
    end = base
    for tensor in tensors:
        if tensor.start != end:
            raise CheckpointError(f"{file}: {tensor.name}: its data overlaps or leaves a hole")
        end = tensor.start + tensor.nbytes
    if end != size:
        word = "truncated" if size < end else "longer than its header says"
        raise CheckpointError(f"{file}: {word} ({size:,} bytes instead of {end:,})")
    return tensors


def read_json(file: Path) -> dict[str, Any]:
    """The object in a JSON file; empty when there is no such file."""
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{file}: not readable as JSON: {error}") from None
    if not isinstance(value, dict):
        raise CheckpointError(f"{file}: expected a JSON object")
    return value


def _tensor(file: Path, base: int, name: str, entry: Any) -> Tensor:
    try:
        dtype, shape = str(entry["dtype"]), tuple(int(n) for n in entry["shape"])
        begin, end = (int(n) for n in entry["data_offsets"])
    except (TypeError, KeyError, ValueError):
        raise CheckpointError(f"{file}: {name}: its header entry is damaged") from None
    itemsize = ITEMSIZE.get(dtype)
    if itemsize is None:
        # Newer sub-byte formats: enough is known to name them in a refusal.
        return Tensor(name, dtype, shape, file, base + begin, end - begin)
    if begin < 0 or min(shape, default=0) < 0 or end - begin != math.prod(shape) * itemsize:
        raise CheckpointError(f"{file}: {name}: its data does not fit its shape {list(shape)}")
    return Tensor(name, dtype, shape, file, base + begin, end - begin)


def _weight_files(folder: Path) -> list[Path]:
    if (folder / INDEX).exists():
        names = sorted(set(_weight_map(folder).values()))
        for name in names:
            if Path(name).name != name:
                raise CheckpointError(f"{folder / INDEX}: {name!r} is not a plain file name")
            if not (folder / name).is_file():
                raise CheckpointError(f"{folder}: shard {name} is missing")
        return [folder / name for name in names]
    if (folder / SINGLE).exists():
        return [folder / SINGLE]
    found = sorted(folder.glob("*.safetensors"))
    if (folder / "adapter_config.json").exists():
        raise CheckpointError(
            f"{folder}: a LoRA adapter, not a model; fold it into its base first: "
            f"`agent weights lora BASE {folder} -o OUT`"
        )
    if found:
        listed = ", ".join(file.name for file in found[:3])
        raise CheckpointError(f"{folder}: found {listed} but neither {SINGLE} nor {INDEX}")
    for pattern, what in (
        ("*.bin", "PyTorch .bin files"),
        ("*.distcp", "a distributed (FSDP) checkpoint"),
        ("*.pt", "PyTorch .pt files"),
        ("*.gguf", "GGUF files"),
    ):
        if any(folder.glob(pattern)):
            raise CheckpointError(
                f"{folder}: holds {what}; save it in safetensors first (save_pretrained)"
            )
    raise CheckpointError(f"{folder}: no safetensors files in it")


def _weight_map(folder: Path) -> dict[str, str]:
    mapping = read_json(folder / INDEX).get("weight_map")
    if not isinstance(mapping, dict) or not mapping:
        raise CheckpointError(f"{folder / INDEX}: has no weight_map")
    return {str(name): str(file) for name, file in mapping.items()}


def _match_index(folder: Path, tensors: Mapping[str, Tensor]) -> None:
    if not (folder / INDEX).exists():
        return
    mapping = _weight_map(folder)
    for name, file in mapping.items():
        if name not in tensors or tensors[name].file.name != file:
            raise CheckpointError(f"{folder}: {INDEX} places {name} in {file}, which lacks it")
    extra = sorted(set(tensors) - set(mapping))
    if extra:
        raise CheckpointError(f"{folder}: {extra[0]} is in a shard but not in {INDEX}")
