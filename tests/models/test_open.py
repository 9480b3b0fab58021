"""Opening a model at a server that already runs, and what is said when that cannot work."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

from agent.errors import UsageError
from agent.models import Sampling
from agent.models.open import open_model
from agent.models.registry import Registry, load_registry
from agent.models.script import Reply, Script
from agent.models.scripted import ScriptedServer


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry:
    monkeypatch.chdir(tmp_path)
    return load_registry()


async def opened(registry: Registry, name: str, url: str) -> None:
    async with open_model(name, registry=registry, base_url=url):
        pass


async def test_a_server_that_runs_is_used(registry: Registry) -> None:
    async with (
        ScriptedServer(Script(model="ckpt_alpha1.5", max_model_len=1234)) as server,
        open_model("ckpt_alpha1.5", registry=registry, base_url=server.base_url + "/") as model,
    ):
        assert model.context_tokens == 1234
        assert model.identity["alpha"] == 1.5
        assert model.identity["base_urls"] == [server.base_url + "/"]
        answer = await model.complete(
            [{"role": "user", "content": "?"}], sampling=Sampling(), seed=1
        )
    assert answer.content == "I do not know."


async def test_another_name_is_refused_with_what_is_served(registry: Registry) -> None:
    async with ScriptedServer(Script(model="ckpt_alpha1")) as server:
        with pytest.raises(
            UsageError, match=r"does not serve 'ckpt_alpha1\.5'; it serves ckpt_alph"
        ):
            await opened(registry, "ckpt_alpha1.5", server.base_url)


async def test_an_unreachable_server_is_one_line(registry: Registry) -> None:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{sock.getsockname()[1]}/v1"
        with pytest.raises(UsageError, match=r"cannot be reached.*is the server up") as error:
            await opened(registry, "m", url)
    assert "\n" not in str(error.value)


async def test_a_server_of_another_kind_is_named(registry: Registry) -> None:
    async with ScriptedServer() as server:
        with pytest.raises(UsageError, match="HTTP 404"):
            await opened(registry, "scripted", server.base_url + "/v2")


async def test_a_missing_key_is_named(tmp_path: Path) -> None:
    file = tmp_path / "models.yaml"
    file.write_text("endpoints: {m: {base_url: 'http://x/v1', api_key_env: NO_SUCH_KEY_HERE}}")
    with pytest.raises(UsageError, match="NO_SUCH_KEY_HERE"):
        async with open_model("m", registry=load_registry(file)):
            pass


class LooksLikeVllm(ScriptedServer):
    """The scripted server under vLLM's name, so that what tools do is found out."""

    def get(self, path: str) -> tuple[int, Any]:
        status, value = super().get(path)
        if path == "/v1/models":
            value["data"][0]["owned_by"] = "vllm"
        return status, value


async def test_tools_that_the_server_does_not_parse_are_called_in_text(registry: Registry) -> None:
    script = Script(tool_parser=False, otherwise=Reply("x"))
    async with (
        LooksLikeVllm(script) as server,
        open_model("scripted", registry=registry, base_url=server.base_url) as model,
    ):
        assert not model.native_tools
    async with (
        LooksLikeVllm(Script(otherwise=Reply("x"))) as server,
        open_model("scripted", registry=registry, base_url=server.base_url) as model,
    ):
        assert model.native_tools
