"""Whether checkpoints can be merged: from headers and configuration, without tensor data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from agent.errors import AgentError
from agent.weights.checkpoint import Checkpoint, Tensor, read_json
from agent.weights.kernel import FLOATS

# Keys of config.json that change what a weight means; anything else (dtype, versions, dropout,
# cache settings) may differ and is reported.
_DEFINING = (
    "architectures", "model_type", "hidden_size", "intermediate_size", "num_hidden_layers",
    "num_attention_heads", "num_key_value_heads", "head_dim", "vocab_size", "hidden_act",
    "rms_norm_eps", "layer_norm_epsilon", "rope_theta", "rope_scaling", "rope_parameters",
    "partial_rotary_factor", "sliding_window", "tie_word_embeddings", "num_experts",
    "num_local_experts", "num_experts_per_tok", "attention_bias",
)  # fmt: skip
_QUANTIZED_NAMES = (".qweight", ".qzeros", ".weight_scale", ".weight_scale_inv", ".absmax")
_HEADS = ("lm_head.weight", "model.lm_head.weight", "language_model.lm_head.weight")
_EMBEDDINGS = ("embed_tokens.weight", "wte.weight", "word_embeddings.weight")


class MergeError(AgentError):
    """The checkpoints cannot be merged, or the merge failed: names the tensor and the reason."""


class ContentError(MergeError):
    """What the tensors hold makes the merge meaningless: doing it again would not help."""


@dataclass(frozen=True, slots=True)
class Findings:
    """`problems` forbid a merge; `notes` are for the report. `dropped`: heads that are only a
    copy of the tied embedding and exist on some sides only, with the embedding's name."""

    problems: tuple[str, ...]
    notes: tuple[str, ...]
    dropped: tuple[tuple[str, str], ...]

    def raise_for_problems(self) -> None:
        if self.problems:
            more = f" (and {len(self.problems) - 1} more)" if len(self.problems) > 1 else ""
            raise MergeError(self.problems[0] + more)


def check(checkpoints: Sequence[Checkpoint]) -> Findings:
    """Compares every checkpoint with the first. Problems are ordered: what explains most first."""
    first = checkpoints[0]
    problems: list[str] = []
    notes: list[str] = []
    dropped: dict[str, str] = {}
    for checkpoint in checkpoints:
        problems += _quantized(checkpoint)
    for other in checkpoints[1:]:
        found, said = _configurations(first, other)
        problems += found
        notes += said
        problems += _tokenizers(first, other)
        problems += _names(first, other, dropped)
        found, said = _shapes(first, other)
        problems += found
        notes += said
    return Findings(
        tuple(dict.fromkeys(problems)), tuple(dict.fromkeys(notes)), tuple(dropped.items())
    )


def _quantized(checkpoint: Checkpoint) -> Iterable[str]:
    folder = checkpoint.folder
    config = checkpoint.config.get("quantization_config")
    if config:
        method = config.get("quant_method", "?") if isinstance(config, dict) else config
        yield (
            f"{folder}: quantized ({method}): its numbers are not linear in the weights; "
            "merge the unquantized checkpoint"
        )
        return
    for tensor in checkpoint.tensors.values():
        if tensor.dtype.startswith(("F8_", "F6_", "F4")):
            yield f"{folder}: {tensor.name} is {tensor.dtype}: quantized weights cannot be merged"
            return
        if tensor.name.endswith(_QUANTIZED_NAMES):
            yield f"{folder}: {tensor.name} belongs to a quantized checkpoint, which is not linear"
            return
        if tensor.dtype not in FLOATS and tensor.dtype[0] not in "IUB":
            yield f"{folder}: {tensor.name} is {tensor.dtype}, which cannot be merged"
            return


def _configurations(a: Checkpoint, b: Checkpoint) -> tuple[list[str], list[str]]:
    problems, notes = [], []
    left, right = _flat(a.config), _flat(b.config)
    if a.tied != b.tied:
        tied, untied = (a, b) if a.tied else (b, a)
        problems.append(
            f"lm_head.weight: tied to the embedding in {tied.folder} but its own in "
            f"{untied.folder}; save both alike first"
        )
    for key in _DEFINING:
        if left.get(key) != right.get(key) and key != "tie_word_embeddings":
            one, two = _brief(left.get(key)), _brief(right.get(key))
            problems.append(
                f"config.json: {key} is {one} in {a.folder} and {two} in {b.folder}: "
                "different architectures"
            )
    for key in sorted(set(left) | set(right)):
        if key not in _DEFINING and left.get(key) != right.get(key):
            notes.append(
                f"config.json: {key} differs: {_brief(left.get(key))} / {_brief(right.get(key))}"
            )
    return problems, notes


def _tokenizers(a: Checkpoint, b: Checkpoint) -> Iterable[str]:
    """The same token must have the same number on both sides."""
    for name in ("tokenizer.json", "vocab.json", "tokenizer.model"):
        one, two = a.folder / name, b.folder / name
        if not (one.is_file() and two.is_file()) or one.read_bytes() == two.read_bytes():
            continue
        if name == "tokenizer.model":
            yield f"{name}: differs between {a.folder} and {b.folder}: different vocabularies"
            continue
        left, right = _vocabulary(read_json(one)), _vocabulary(read_json(two))
        odd = sorted(set(left.items()) ^ set(right.items()), key=lambda item: (item[1], item[0]))
        if odd:
            token = odd[0][0]
            yield (
                f"{name}: token {token!r} is number {left.get(token)} in {a.folder} and "
                f"{right.get(token)} in {b.folder}: different vocabularies"
            )


def _vocabulary(tokenizer: dict[str, Any]) -> dict[str, int]:
    model = tokenizer.get("model")
    if not isinstance(model, dict):
        return {str(token): number for token, number in tokenizer.items() if _is_int(number)}
    vocabulary = model.get("vocab") or {}
    if isinstance(vocabulary, list):  # unigram: [[token, score], …]
        vocabulary = {entry[0]: number for number, entry in enumerate(vocabulary)}
    added = {entry["content"]: entry["id"] for entry in tokenizer.get("added_tokens") or ()}
    return {**vocabulary, **added}


def _names(a: Checkpoint, b: Checkpoint, dropped: dict[str, str]) -> Iterable[str]:
    for name in sorted(set(a.tensors) ^ set(b.tensors)):
        has, lacks = (a, b) if name in a.tensors else (b, a)
        embedding = _embedding(has)
        if name in _HEADS and has.tied and embedding is not None:
            dropped[name] = embedding
            continue
        yield f"{name}: in {has.folder} but not in {lacks.folder}"


def _embedding(checkpoint: Checkpoint) -> str | None:
    return next((name for name in checkpoint.tensors if name.endswith(_EMBEDDINGS)), None)


def _shapes(a: Checkpoint, b: Checkpoint) -> tuple[list[str], list[str]]:
    problems, mixed = [], []
    for name, left in a.tensors.items():
        right = b.tensors.get(name)
        if right is None:
            continue
        if left.shape != right.shape:
            problems.append(
                f"{name}: shape {list(left.shape)} in {a.folder} and {list(right.shape)} in "
                f"{b.folder}{_why(left, right)}"
            )
        elif left.dtype != right.dtype:
            if left.dtype in FLOATS and right.dtype in FLOATS:
                mixed.append(name)
            else:
                problems.append(
                    f"{name}: {left.dtype} in {a.folder} and {right.dtype} in {b.folder}"
                )
    notes = []
    if mixed:
        left, right = a.tensors[mixed[0]], b.tensors[mixed[0]]
        notes.append(
            f"{len(mixed)} tensors are {left.dtype} in {a.folder} and {right.dtype} in "
            f"{b.folder} ({mixed[0]} first); sums are computed in float32 or wider"
        )
    return problems, notes


def _why(left: Tensor, right: Tensor) -> str:
    if left.name.endswith((*_EMBEDDINGS, *_HEADS)) and left.shape[1:] == right.shape[1:]:
        return ": the vocabularies differ in size (added tokens?)"
    return ""


def _flat(config: Any) -> dict[str, Any]:
    """config.json without what says nothing about the function: its own name, versions, dtypes."""
    skip = {"_name_or_path", "transformers_version", "torch_dtype", "dtype", "use_cache"}
    return {key: value for key, value in config.items() if key not in skip}


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
