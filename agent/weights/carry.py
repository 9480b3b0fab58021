"""Everything beside the weights that a server needs: copied from one input, never regenerated."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.weights.checkpoint import INDEX, read_json

_SUFFIXES = {".json", ".jinja", ".model", ".txt", ".py", ".tiktoken"}
_LEGAL = ("LICENSE", "LICENCE", "NOTICE", "COPYING")
_LEFT = {  # about the input's own weights or its training
    INDEX, "theta.json", "adapter_config.json", "trainer_state.json", "all_results.json",
    "train_results.json", "eval_results.json", "requirements.txt",
}  # fmt: skip
_TORCH_NAMES = {"BF16": "bfloat16", "F16": "float16", "F32": "float32", "F64": "float64"}


@dataclass(frozen=True, slots=True)
class Carried:
    """`files`: name → the folder it comes from. `notes`: what differed or was missing."""

    files: Mapping[str, Path]
    notes: tuple[str, ...]


def choose(folders: Sequence[Path], donor: int) -> Carried:
    """Which file comes from where: the donor's, else the first other folder that has it."""
    files: dict[str, Path] = {}
    notes: list[str] = []
    listings = [_listing(folder) for folder in folders]
    for name in sorted(set().union(*listings)):
        holders = [f for f, listing in zip(folders, listings, strict=True) if name in listing]
        chosen = folders[donor] if name in listings[donor] else holders[0]
        files[name] = chosen
        contents = {(holder / name).read_bytes() for holder in holders}
        if len(holders) < len(folders):
            notes.append(f"{name}: only in {', '.join(map(str, holders))}; taken from {chosen}")
        elif len(contents) > 1 and not _same_meaning(name, holders):
            notes.append(f"{name}: differs{_how(name, folders)}; taken from {chosen}")
    return Carried(files, tuple(notes))


def copy(carried: Carried, target: Path, dtype: str | None) -> None:
    """Copies the files; config.json then names the `dtype` of the weights when it was changed."""
    for name, folder in carried.files.items():
        destination = target / name
        if name == "config.json" and dtype is not None:
            destination.write_text(_with_dtype(folder / name, _TORCH_NAMES[dtype]))
        else:
            shutil.copyfile(folder / name, destination)


def _listing(folder: Path) -> set[str]:
    return {
        file.name
        for file in folder.iterdir()
        if file.is_file()
        and not file.name.startswith(".")
        and file.name not in _LEFT
        and (file.suffix in _SUFFIXES or file.name.startswith(_LEGAL))
    }


def _same_meaning(name: str, holders: Sequence[Path]) -> bool:
    """JSON that differs in order, spacing, or the version that wrote it says the same."""
    if not name.endswith(".json"):
        return False
    values = []
    for folder in holders:
        value = read_json(folder / name)
        for key in ("transformers_version", "_name_or_path"):
            value.pop(key, None)
        values.append(value)
    return all(value == values[0] for value in values)


def _how(name: str, folders: Sequence[Path]) -> str:
    if not name.endswith(".json"):
        return ""
    values = [read_json(folder / name) for folder in folders]
    keys = sorted(
        key
        for key in set().union(*values)
        if any(value.get(key) != values[0].get(key) for value in values)
    )
    return f" in {', '.join(keys[:5])}{' …' if len(keys) > 5 else ''}"


def _with_dtype(file: Path, name: str) -> str:
    config = read_json(file)
    key = "dtype" if "dtype" in config else "torch_dtype"
    config[key] = name
    return json.dumps(config, indent=2, ensure_ascii=False) + "\n"
