"""Arguments of tools: one pydantic model each gives the schema and the check."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from tools import BadArguments


class Arguments(BaseModel):
    """Base of every tool's arguments: an argument that the tool does not have is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


A = TypeVar("A", bound=Arguments)


def schema_of(kind: type[Arguments]) -> dict[str, Any]:
    """The JSON schema that the model sees; titles are left out because they only repeat names."""
    schema = kind.model_json_schema()
    properties = {
        name: {key: value for key, value in entry.items() if key != "title"}
        for name, entry in schema.get("properties", {}).items()
    }
    return {
        "type": "object",
        "properties": properties,
        "required": list(schema.get("required", ())),
        "additionalProperties": False,
    }


def parse(kind: type[A], arguments: Mapping[str, Any]) -> A:
    """The checked arguments. Raises BadArguments naming each argument that is wrong."""
    try:
        return kind.model_validate(dict(arguments))
    except ValidationError as error:
        known = ", ".join(kind.model_fields)
        problems = []
        for entry in error.errors(include_url=False, include_input=False):
            name = ".".join(str(part) for part in entry["loc"]) or "arguments"
            if entry["type"] == "missing":
                problems.append(f"argument {name!r} is missing")
            elif entry["type"] == "extra_forbidden":
                problems.append(f"there is no argument {name!r} (there are: {known})")
            else:
                message = entry["msg"]
                problems.append(f"argument {name!r}: {message[:1].lower()}{message[1:]}")
        raise BadArguments("; ".join(problems)) from None
