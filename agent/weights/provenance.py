"""Where a merged checkpoint comes from: `theta.json`, the index's metadata and the model card."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent import __version__
from agent.errors import UsageError

if TYPE_CHECKING:
    from agent.weights.merge import Settings

FILE = "theta.json"
_FORMAT = 1


def source(folder: Path, identity: Mapping[str, Any]) -> dict[str, Any]:
    """An input: where it lay, and what it was."""
    return {"path": str(folder.resolve()), **identity}


def document(
    weights: Sequence[float],
    alpha: float | None,
    sources: Sequence[Mapping[str, Any]],
    settings: Settings,
    recipe: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """What theta.json holds before the merge has run. `fingerprint`: the same inputs (wherever
    they lie), weights and settings; two outputs with one fingerprint have the same bytes."""
    decides = {
        "format": _FORMAT,
        "weights": list(weights),
        "inputs": [{k: v for k, v in source.items() if k != "path"} for source in sources],
        "dtype": settings.dtype,
        "rounding": settings.rounding,
        "seed": settings.seed if settings.rounding == "stochastic" else None,
        "files_from": settings.donor % len(sources),
    }
    fingerprint = hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()
    return {
        "fingerprint": fingerprint,
        "formula": formula_text(weights, alpha),
        "alpha": alpha,
        **decides,
        "inputs": list(sources),
        "recipe": recipe,
        "tool": f"frontier-agent {__version__}",
        "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def file_hash(file: Path) -> str:
    """SHA-256 of one file's content."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def finished(target: Path, fingerprint: str) -> dict[str, Any] | None:
    """theta.json of an output that is already there; None when nothing is.

    Raises UsageError when the name is taken by something else.
    """
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return None
    try:
        kept = json.loads((target / FILE).read_text(encoding="utf-8"))
        if kept["fingerprint"] == fingerprint:
            return dict(kept)
        reason = "a merge of other inputs or with other settings"
    except (OSError, ValueError, KeyError, TypeError):
        reason = "something else"
    raise UsageError(f"{target}: exists and is {reason}; remove it or choose another name")


def formula_text(weights: Sequence[float], alpha: float | None) -> str:
    if alpha is not None:
        return f"{alpha:g}·B + ({1 - alpha:g})·A"
    return " + ".join(f"({weight:g})·θ{i}" for i, weight in enumerate(weights, 1))


def summary(document: Mapping[str, Any]) -> dict[str, Any]:
    """The short form that the index's metadata carries."""
    keys = ("formula", "alpha", "weights", "effective_alpha", "dtype", "rounding", "seed")
    return {key: document[key] for key in keys} | {
        "inputs": [source["weights"] for source in document["inputs"]],
        "tool": document["tool"],
    }


def model_card(name: str, document: Mapping[str, Any]) -> str:
    """README.md of a merged checkpoint."""
    letters = "AB" if document["alpha"] is not None else ""
    rows = "\n".join(
        f"| {letters[i] if letters else f'θ{i + 1}'} | {weight:g} | `{Path(source['path']).name}` "
        f"| `{source['weights'][:16]}` |"
        for i, (weight, source) in enumerate(
            zip(document["weights"], document["inputs"], strict=True)
        )
    )
    effective = document.get("effective_alpha")
    lines = [
        "---", "library_name: transformers", "tags:", "- merge", "---", "",
        f"# {name}", "", f"θ = {document['formula']}, tensor by tensor.", "",
        "| input | weight | name | weights (SHA-256, sampled) |", "|---|---|---|---|", rows, "",
        f"- output dtype: {document['dtype'] or 'as the inputs'}; rounding: {document['rounding']}"
        + (f" (seed {document['seed']})" if document["seed"] is not None else ""),
    ]  # fmt: skip
    if effective is not None:
        lines.append(f"- effective alpha after rounding: {effective:.4f}")
    lines += [f"- warning: {line}" for line in document.get("warnings", ())]
    lines += [f"- {line}" for line in document.get("notes", ())]
    lines += [f"- made with {document['tool']}, {document['created']}; details in `{FILE}`", ""]
    return "\n".join(lines)
