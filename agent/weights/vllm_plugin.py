"""Entry point `theta` of `vllm.general_plugins`: the load format and the hot change of α.

vLLM imports this in all of its processes. It does nothing unless `VLLM_PLUGINS` names `theta`.
"""

from __future__ import annotations

import os

_registered = False


def register() -> None:
    """Adds `--load-format theta` and the weight-transfer backend `theta` to vLLM."""
    global _registered
    if _registered or "theta" not in os.environ.get("VLLM_PLUGINS", "").split(","):
        return
    from vllm.distributed.weight_transfer.factory import WeightTransferEngineFactory
    from vllm.model_executor.model_loader import register_model_loader

    from agent.weights.vllm_loader import ThetaLoader

    register_model_loader("theta")(ThetaLoader)
    WeightTransferEngineFactory.register_engine("theta", "agent.weights.vllm_loader", "ThetaEngine")
    _registered = True
