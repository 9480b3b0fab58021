"""Inside a vLLM worker: loads θ_α straight from A and B, and changes α in place.

Written against vLLM 0.32. Every rank of a tensor-parallel server reads both checkpoints through
vLLM's own weight iterator; that, and everything on a GPU, has not been run yet.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import torch
from vllm.distributed.weight_transfer.base import (
    WeightTransferEngine,
    WeightTransferInitInfo,
    WeightTransferUpdateInfo,
)
from vllm.logger import init_logger
from vllm.model_executor.layers.vocab_parallel_embedding import VocabParallelEmbedding
from vllm.model_executor.model_loader.default_loader import DefaultModelLoader
from vllm.model_executor.model_loader.reload import (
    finalize_layerwise_reload,
    initialize_layerwise_reload,
)

from agent.weights.family import open_family

logger = init_logger("vllm.theta")
OWN_KEYS = ("a", "b", "alpha", "family")  # of --model-loader-extra-config


class ThetaLoader(DefaultModelLoader):  # type: ignore[misc]
    """`--load-format theta --model-loader-extra-config '{"a": …, "b": …, "alpha": …}'`."""

    def __init__(self, load_config: Any) -> None:
        extra = dict(load_config.model_loader_extra_config)
        missing = [key for key in ("a", "b", "alpha") if key not in extra]
        if missing:
            raise ValueError(f"--load-format theta: --model-loader-extra-config lacks {missing}")
        own = {key: extra.pop(key) for key in OWN_KEYS if key in extra}
        self._a, self._b, self._alpha = Path(own["a"]), Path(own["b"]), float(own["alpha"])
        super().__init__(
            dataclasses.replace(
                load_config, load_format="safetensors", model_loader_extra_config=extra
            )
        )

    def download_model(self, model_config: Any) -> None:
        """Both checkpoints are local."""

    def get_all_weights(
        self, model_config: Any, model: torch.nn.Module
    ) -> Generator[tuple[str, torch.Tensor], None, None]:
        started = time.perf_counter()
        self.counter_before_loading_weights = started
        family = open_family(self._a, self._b, self._alpha)
        yield from family.tensors(self._alpha, checked=True)
        logger.info("theta: alpha %g loaded in %.2f s", self._alpha, time.perf_counter() - started)


@dataclasses.dataclass
class ThetaInit(WeightTransferInitInfo):  # type: ignore[misc]
    pass


@dataclasses.dataclass
class ThetaUpdate(WeightTransferUpdateInfo):  # type: ignore[misc]
    alpha: float


class ThetaEngine(WeightTransferEngine):  # type: ignore[misc]
    """Weight-transfer backend `theta`: an update names an α and the worker reads it itself."""

    init_info_cls = ThetaInit
    update_info_cls = ThetaUpdate

    def init_transfer_engine(self, init_info: ThetaInit) -> None:
        pass

    def start_weight_update(self) -> None:
        pass

    def finish_weight_update(self) -> None:
        pass

    def shutdown(self) -> None:
        pass

    def receive_weights(self, update_info: ThetaUpdate) -> None:
        """Checks everything that headers show, and only then touches the model: an error later
        leaves layers without storage, and the server dies at the next request."""
        started = time.perf_counter()
        extra = self.vllm_config.load_config.model_loader_extra_config
        alpha = float(update_info.alpha)
        family = open_family(Path(extra["a"]), Path(extra["b"]), alpha)
        initialize_layerwise_reload(self.model)
        self.model.load_weights(family.tensors(alpha))
        finalize_layerwise_reload(self.model, self.model_config)
        if self.device.type == "cpu":
            _repack_heads(self.model)
        logger.info("theta: alpha %g in place in %.2f s", alpha, time.perf_counter() - started)


def _repack_heads(model: torch.nn.Module) -> None:
    """A tied output head gets no tensor of its own, so on the CPU vLLM 0.32 puts back the packed
    copy of its *old* weights: 200 everywhere, and wrong logits. Packing it again cures that."""
    for module in model.modules():
        if isinstance(module, VocabParallelEmbedding):
            method = getattr(module, "quant_method", None)
            if hasattr(method, "process_weights_after_loading"):
                method.process_weights_after_loading(module)  # type: ignore[union-attr]
