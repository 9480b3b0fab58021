"""Entry point `theta_http` of `vllm.endpoint_plugins`: which member is served, and another one.

    GET  /theta                   → {"alpha": 1.5, "member": "ckpt_alpha1.5", "a": …, "b": …}
    POST /theta {"alpha": -0.5}   → the same, of the new member, and {"seconds": …}

A change waits for running requests, drops the prefix cache (else answers would mix two members),
and renames the model in `/v1/models`. vLLM loads this only when `VLLM_PLUGINS` names it.
"""

from __future__ import annotations

import asyncio
import math
import os
import signal
import time
from argparse import Namespace
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import JSONResponse
from vllm.distributed.weight_transfer.base import WeightTransferUpdateRequest
from vllm.logger import init_logger

from agent.errors import AgentError
from agent.weights.family import open_family
from agent.weights.identity import checkpoint_identity
from agent.weights.names import member_name

logger = init_logger("vllm.theta")


class ThetaHttp:
    name = "theta_http"
    required_tasks = None

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._engine: Any = None
        self._models: list[Any] = []
        self._a = self._b = Path()
        self._hashes: dict[str, str] = {}
        self._family: str | None = None
        self._alpha: float | None = None

    async def init_state(self, engine_client: Any, state: Any, args: Namespace) -> None:
        extra = getattr(args, "model_loader_extra_config", None) or {}
        if engine_client is None or getattr(args, "load_format", None) != "theta":
            return
        self._engine = engine_client
        self._models = state.openai_serving_models.base_model_paths
        self._a, self._b = Path(extra["a"]), Path(extra["b"])
        self._family, self._alpha = extra.get("family"), float(extra["alpha"])
        for key, folder in (("a", self._a), ("b", self._b)):
            identity = await asyncio.to_thread(checkpoint_identity, folder)
            self._hashes[key] = str(identity["weights"])
        self._rename(self._alpha)

    def attach_router(self, app: FastAPI) -> None:
        router = APIRouter()
        router.add_api_route("/theta", self.get, methods=["GET"])
        router.add_api_route("/theta", self.post, methods=["POST"])
        app.include_router(router)

    async def get(self) -> JSONResponse:
        if self._engine is None:
            return _refused("this server was not started with --load-format theta", 404)
        return JSONResponse(self._state())

    async def post(self, request: Request) -> JSONResponse:
        if self._engine is None:
            return _refused("this server was not started with --load-format theta", 404)
        try:
            alpha = float((await request.json())["alpha"])
        except (ValueError, KeyError, TypeError):
            return _refused('give {"alpha": number}', 400)
        if not math.isfinite(alpha):
            return _refused("alpha must be a finite number", 400)
        async with self._lock:
            try:
                await asyncio.to_thread(open_family, self._a, self._b, alpha)
                for key, folder in (("a", self._a), ("b", self._b)):
                    identity = await asyncio.to_thread(checkpoint_identity, folder)
                    if identity["weights"] != self._hashes[key]:
                        return _refused(f"{folder}: changed since the server was started", 409)
            except (AgentError, OSError) as error:
                return _refused(str(error), 409)
            seconds = await self._change(alpha)
        return JSONResponse({**self._state(), "seconds": round(seconds, 3)})

    async def _change(self, alpha: float) -> float:
        started = time.perf_counter()
        engine = self._engine
        await engine.pause_generation(mode="wait", clear_cache=True)
        try:
            await engine.start_weight_update()
            await engine.update_weights(WeightTransferUpdateRequest(update_info={"alpha": alpha}))
            await engine.finish_weight_update(self._version(alpha))
        except BaseException:
            # Half of the model may be new and half without storage, while /health still says 200:
            # nobody must get an answer from it.
            logger.exception("theta: changing alpha to %g failed; the server ends", alpha)
            os.kill(os.getpid(), signal.SIGTERM)
            raise
        self._alpha = alpha
        self._rename(alpha)
        await engine.resume_generation()
        return time.perf_counter() - started

    def _state(self) -> dict[str, Any]:
        assert self._alpha is not None
        return {
            "alpha": self._alpha,
            "member": self._models[0].name,
            **self._hashes,
            "weight_version": self._version(self._alpha),
        }

    def _version(self, alpha: float) -> str:
        return f"{self._hashes['a'][:16]}+{self._hashes['b'][:16]}@{alpha!r}"

    def _rename(self, alpha: float) -> None:
        if self._family is not None:
            self._models[0].name = member_name(self._family, alpha)


def _refused(message: str, status: int) -> JSONResponse:
    kind = "BadRequestError" if status == 400 else "ThetaError"
    return JSONResponse(
        {"error": {"message": message, "type": kind, "param": "alpha", "code": status}}, status
    )
