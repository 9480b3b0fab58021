"""What a name stands for, in plain facts: for `agent models show`."""

from __future__ import annotations

from typing import Any

from agent.errors import UsageError
from agent.models.registry import ModelSpec
from agent.models.serve import find_vllm, native_context, on_cpu, server_flags


def describe(spec: ModelSpec) -> dict[str, Any]:
    """JSON-ready facts; nothing is merged, started or asked over the network."""
    facts: dict[str, Any] = {
        "name": spec.name,
        "kind": spec.kind,
        "family": spec.family,
        "alpha": spec.alpha,
    }
    if spec.endpoint is not None:
        facts["base_urls"] = list(spec.endpoint.urls)
        facts["served as"] = spec.endpoint.model or spec.name
        facts["native tools"] = spec.endpoint.native_tools
        return facts
    assert spec.path is not None
    there = (spec.path / "config.json").is_file()
    facts["folder"] = str(spec.path)
    facts["state"] = "ready" if there else "to be merged" if spec.to_merge else "missing"
    if spec.parents is not None:
        facts["a"], facts["b"] = map(str, spec.parents)
    try:
        command = find_vllm()
    except UsageError as error:
        facts["served by"] = f"nothing yet: {error}"
        return facts
    assert spec.donor is not None
    context = native_context(spec.donor)
    flags = server_flags(spec.serve, cpu=on_cpu(command), native_context=context)
    facts["served by"] = [*command, "serve", str(spec.path), *flags]
    return facts
