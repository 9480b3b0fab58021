"""Recipes: sums over more than two checkpoints, as weights, as task vectors, or as a soup.

    models:                      # θ = Σ weight · checkpoint
      - {path: a, weight: 0.7}
      - {path: b, weight: 0.3}
    ---
    base: init                   # θ = base + Σ weight · (checkpoint − base)
    models:
      - {path: a, weight: 1.0}
      - {path: b, weight: 0.5}
    ---
    soup: [a, b, c]              # the mean

Paths count from the recipe's folder. Config, tokenizer and the like come from the first model, or
from the one with `files: true`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from agent.errors import UsageError


@dataclass(frozen=True, slots=True)
class Recipe:
    """θ = Σ weights[i] · folders[i]. `donor`: whose config and tokenizer are taken."""

    folders: tuple[Path, ...]
    weights: tuple[float, ...]
    donor: int
    text: Mapping[str, Any]  # as written, for the provenance


def read_recipe(file: Path) -> Recipe:
    """Reads a recipe. Raises UsageError naming the entry that is wrong."""
    try:
        value = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from None
    except yaml.YAMLError as error:
        raise UsageError(f"{file}: not valid YAML: {error}") from None
    if not isinstance(value, dict):
        raise UsageError(f"{file}: expected models: or soup:")
    unknown = set(value) - {"base", "models", "soup"}
    if unknown:
        raise UsageError(f"{file}: unknown key {sorted(map(str, unknown))[0]!r}")
    if ("models" in value) == ("soup" in value):
        raise UsageError(f"{file}: give either models: or soup:")
    if "soup" in value:
        if "base" in value:
            raise UsageError(f"{file}: a soup has no base")
        paths = _list(file, value["soup"], "soup")
        entries = [{"path": path, "weight": 1 / len(paths)} for path in paths]
    else:
        entries = _list(file, value["models"], "models")
    models = [_model(file, i, entry) for i, entry in enumerate(entries)]
    donors = [i for i, (_, _, files) in enumerate(models) if files]
    if len(donors) > 1:
        raise UsageError(f"{file}: only one model can have files: true")
    donor = donors[0] if donors else 0
    if value.get("base") is not None:
        # base + Σ w (x − base) = (1 − Σ w)·base + Σ w·x
        rest = 1.0 - math.fsum(weight for _, weight, _ in models)
        models.insert(0, (_path(file, value["base"], "base"), rest, False))
        donor += 1
    folders = tuple(path for path, _, _ in models)
    if len(set(folders)) < len(folders):
        raise UsageError(f"{file}: names a checkpoint twice")
    return Recipe(folders, tuple(weight for _, weight, _ in models), donor, value)


def _list(file: Path, value: Any, key: str) -> list[Any]:
    if not isinstance(value, list) or not value:
        raise UsageError(f"{file}: {key}: expected a list")
    return value


def _model(file: Path, number: int, entry: Any) -> tuple[Path, float, bool]:
    where = f"models[{number}]"
    if not isinstance(entry, dict) or not {"path", "weight"} <= set(entry):
        raise UsageError(f"{file}: {where}: expected path and weight")
    unknown = set(entry) - {"path", "weight", "files"}
    if unknown:
        raise UsageError(f"{file}: {where}: unknown key {sorted(map(str, unknown))[0]!r}")
    weight = entry["weight"]
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not math.isfinite(weight):
        raise UsageError(f"{file}: {where}: weight {weight!r} is not a finite number")
    return _path(file, entry["path"], where), float(weight), bool(entry.get("files"))


def _path(file: Path, value: Any, where: str) -> Path:
    if not isinstance(value, str):
        raise UsageError(f"{file}: {where}: {value!r} is not a path")
    return file.parent / value
