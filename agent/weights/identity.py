"""What a checkpoint is: a cheap, cached identity, and an exact hash; both ignore sharding."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from agent.shipped import cache_folder
from agent.weights.checkpoint import Checkpoint, Tensor, open_checkpoint

TOKENIZER_FILES = (
    "tokenizer.json",
    "tokenizer_config.json",
    "tokenizer.model",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.json",
    "vocab.txt",
    "merges.txt",
)
_VERSION = "1"
_SAMPLE = 4096  # bytes at the start, the middle and the end of every tensor
_WHOLE = 64 << 20  # checkpoints up to this size are hashed whole
_CHUNK = 32 << 20  # bytes hashed by one thread at a time


def checkpoint_identity(folder: Path) -> Mapping[str, Any]:
    """Hashes that tell two checkpoints apart, without reading all of a large one.

    `weights`: SHA-256 over every tensor's name, dtype, shape and sampled content (12 KiB each; all
    of it when the checkpoint has at most 64 MiB); also `config`, `tokenizer`, `chat_template`
    (None when absent), `tensors`, `bytes`. A training step changes weights everywhere, so the
    sample sees it; `content_hash` reads everything. Cached under the files' sizes and times.
    """
    folder = folder.resolve()
    stamp = _stamp(folder)
    cache = cache_folder("identity") / f"{_digest(str(folder).encode())[:32]}.json"
    try:
        kept = json.loads(cache.read_text())
        if kept["stamp"] == stamp:
            return dict(kept["identity"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    checkpoint = open_checkpoint(folder)
    identity = {
        "weights": _sampled(checkpoint),
        "config": _files(folder, ("config.json",)),
        "tokenizer": _files(folder, TOKENIZER_FILES),
        "chat_template": chat_template_hash(folder),
        "tensors": len(checkpoint.tensors),
        "bytes": checkpoint.nbytes,
    }
    temporary = cache.with_suffix(f".{os.getpid()}.tmp")
    temporary.write_text(json.dumps({"stamp": stamp, "identity": identity}))
    temporary.replace(cache)
    return identity


def content_hash(folder: Path, *, threads: int | None = None) -> str:
    """SHA-256 over every byte of every tensor; the same for any sharding and tensor order."""
    checkpoint = open_checkpoint(folder)
    total = hashlib.sha256()
    tensors = [checkpoint.tensors[name] for name in sorted(checkpoint.tensors)]
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        pieces = [(t, i) for t in tensors for i in range(0, max(t.nbytes, 1), _CHUNK)]
        digests = pool.map(_piece, pieces)
        seen: Tensor | None = None
        for (tensor, _), digest in zip(pieces, digests, strict=True):
            if tensor is not seen:
                total.update(_label(tensor))
                seen = tensor
            total.update(digest)
    return total.hexdigest()


def chat_template_hash(folder: Path) -> str | None:
    """SHA-256 of the chat template's text: `chat_template.jinja`, else tokenizer_config.json's."""
    file = folder / "chat_template.jinja"
    if file.exists():
        return _digest(file.read_bytes())
    try:
        template = json.loads((folder / "tokenizer_config.json").read_bytes()).get("chat_template")
    except (OSError, ValueError, AttributeError):
        return None
    if template is None:
        return None
    text = template if isinstance(template, str) else json.dumps(template, sort_keys=True)
    return _digest(text.encode())


def _sampled(checkpoint: Checkpoint) -> str:
    whole = checkpoint.nbytes <= _WHOLE
    total = hashlib.sha256(_VERSION.encode())
    files: dict[Path, int] = {}
    try:
        for name in sorted(checkpoint.tensors):
            tensor = checkpoint.tensors[name]
            if tensor.file not in files:
                files[tensor.file] = os.open(tensor.file, os.O_RDONLY)
            total.update(_label(tensor))
            for start, length in _spans(tensor.nbytes, whole):
                total.update(os.pread(files[tensor.file], length, tensor.start + start))
    finally:
        for descriptor in files.values():
            os.close(descriptor)
    return total.hexdigest()


def _spans(nbytes: int, whole: bool) -> Iterator[tuple[int, int]]:
    if whole or nbytes <= 3 * _SAMPLE:
        yield from ((i, min(_CHUNK, nbytes - i)) for i in range(0, nbytes, _CHUNK))
    else:
        for start in (0, (nbytes - _SAMPLE) // 2, nbytes - _SAMPLE):
            yield start, _SAMPLE


def _piece(piece: tuple[Tensor, int]) -> bytes:
    tensor, start = piece
    with tensor.file.open("rb", buffering=0) as stream:
        data = os.pread(stream.fileno(), min(_CHUNK, tensor.nbytes - start), tensor.start + start)
    return hashlib.sha256(data).digest()


def _label(tensor: Tensor) -> bytes:
    return json.dumps([tensor.name, tensor.dtype, list(tensor.shape)]).encode()


def _stamp(folder: Path) -> str:
    """Changes whenever a file of the folder is replaced, touched or resized."""
    rows = []
    for file in sorted(folder.iterdir()) if folder.is_dir() else ():
        if file.suffix in {".safetensors", ".json", ".jinja", ".model", ".txt"} and file.is_file():
            stat = file.stat()
            rows.append([file.name, stat.st_size, stat.st_mtime_ns, stat.st_ino])
    return _digest(json.dumps([_VERSION, rows]).encode())


def _files(folder: Path, names: tuple[str, ...]) -> str | None:
    total, found = hashlib.sha256(), False
    for name in names:
        if (folder / name).is_file():
            found = True
            total.update(f"{name}\0".encode() + _digest((folder / name).read_bytes()).encode())
    return total.hexdigest() if found else None


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
