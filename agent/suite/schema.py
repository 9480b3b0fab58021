"""JSON Schemas for editors: of a suite's YAML, and of our `problem.yaml`."""

from __future__ import annotations

from typing import Any

from agent.suite.own import ProblemFile
from agent.suite.sources import known_sources, source_named
from agent.suite.suitefile import PathEntry, SuiteFile

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def problem_schema() -> dict[str, Any]:
    return {"$schema": DIALECT, **ProblemFile.model_json_schema()}


def suite_schema() -> dict[str, Any]:
    """A suite's schema; an entry of `problems` is a path or one of the known sources."""
    schema: dict[str, Any] = {"$schema": DIALECT, **SuiteFile.model_json_schema()}
    definitions = schema.setdefault("$defs", {})
    choices = []
    for name, model in {"": PathEntry, **_options()}.items():
        entry = model.model_json_schema(ref_template="#/$defs/{model}")
        definitions.update(entry.pop("$defs", {}))
        if name:
            entry["properties"]["source"] = {"const": name}
        choices.append(entry)
    schema["properties"]["problems"]["items"] = {"oneOf": choices}
    return schema


def _options() -> dict[str, Any]:
    found = {name: source_named(name) for name in sorted(known_sources())}
    return {name: source.options for name, source in found.items() if source is not None}
