"""YAML checked by pydantic, with errors that name file, line, key and what was expected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from agent.suite.errors import SuiteError, at, did_you_mean

Key = str | int
MAX_BYTES = 4 << 20  # a suite or problem file is small; anything larger is not one


class Strict(BaseModel):
    """A mapping in a YAML file: unknown keys are errors, values are not guessed at."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed YAML file that remembers on which line each key stands."""

    path: Path
    data: Any
    lines: Mapping[tuple[Key, ...], int] = field(default_factory=dict)

    def line(self, keys: Sequence[Key]) -> int | None:
        """The line of the innermost of `keys` that the file has."""
        for length in range(len(keys), -1, -1):
            found = self.lines.get(tuple(keys[:length]))
            if found is not None:
                return found
        return None

    def error(self, keys: Sequence[Key], text: str) -> SuiteError:
        name = dotted(keys)
        return SuiteError(at(self.path, self.line(keys), f"{name}: {text}" if name else text))


Model = TypeVar("Model", bound=BaseModel)


def dotted(keys: Sequence[Key]) -> str:
    """`problems[1].path` of ("problems", 1, "path")."""
    text = ""
    for key in keys:
        text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else key
    return text


def read_text(path: Path) -> str:
    """A small UTF-8 text file, BOM removed. Raises SuiteError with the place of a bad byte."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise SuiteError(f"{path}: larger than {MAX_BYTES >> 20} MiB; is this the right file?")
        raw = path.read_bytes()
    except FileNotFoundError:
        raise SuiteError(f"{path}: no such file") from None
    except OSError as error:
        raise SuiteError(f"{path}: {error.strerror}") from error
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise SuiteError(at(path, line, f"byte {error.start} is not UTF-8")) from error


def read(path: Path) -> Document:
    """Parses one YAML file. Raises SuiteError when it is missing or not YAML."""
    loader = yaml.SafeLoader(read_text(path))
    try:
        node = loader.get_single_node()
        lines: dict[tuple[Key, ...], int] = {}
        if node is not None:
            _walk(node, (), lines, set(), path)
        data = loader.construct_document(node) if node is not None else None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = error.problem or error.context or "cannot be parsed"
        raise SuiteError(at(path, mark.line + 1 if mark else None, f"not YAML: {what}")) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise SuiteError(f"{path}: not YAML: {error}") from error
    finally:
        loader.dispose()
    return Document(path, data, lines)


def _walk(
    node: yaml.Node,
    keys: tuple[Key, ...],
    lines: dict[tuple[Key, ...], int],
    seen: set[int],
    path: Path,
) -> None:
    """Notes the line of every key. A node that aliases share is visited once."""
    lines.setdefault(keys, node.start_mark.line + 1)
    if id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.MappingNode):
        names: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            line = key.start_mark.line + 1
            if name in names and name != "<<":
                raise SuiteError(at(path, line, f"{dotted((*keys, name))}: given twice"))
            names.add(name)
            lines[(*keys, name)] = line
            _walk(value, (*keys, name), lines, seen, path)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            _walk(value, (*keys, index), lines, seen, path)


def check(model: type[Model], document: Document, within: Sequence[Key] = ()) -> Model:
    """The part `within` of the document as `model`; SuiteError about the first thing amiss."""
    data = document.data
    for key in within:
        data = data[key]
    if not isinstance(data, dict):
        what = "is empty" if data is None else f"holds a {_kind(data)}"
        raise document.error(within, f"{what}; expected a mapping of keys to values")
    try:
        return model.model_validate(data)
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=True)
        raise _explain(model, document, tuple(within), data, details) from None


def _explain(
    model: type[BaseModel],
    document: Document,
    within: tuple[Key, ...],
    data: Any,
    details: Sequence[ErrorDetails],
) -> SuiteError:
    """An unknown key first (a misspelling also makes its right spelling missing)."""
    detail = next((d for d in details if d["type"] == "extra_forbidden"), details[0])
    keys = (*within, *_without_tags(detail["loc"], data))
    more = f" (and {len(details) - 1} more)" if len(details) > 1 else ""
    if detail["type"] == "extra_forbidden":
        known = _fields_at(model, detail["loc"][:-1])
        hint = did_you_mean(str(keys[-1]), known) or f"; known keys: {', '.join(sorted(known))}"
        return document.error(keys, f"unknown key{hint}")
    if detail["type"] == "missing":
        name = str(detail["loc"][-1])
        return document.error(keys[:-1], f"{name!r} is missing{more}")
    text = detail["msg"][:1].lower() + detail["msg"][1:]
    text = text.removeprefix("value error, ").replace("input should be", "expected")
    given = detail["input"]
    if isinstance(given, str | int | float | bool | None) and detail["type"] != "value_error":
        text += f", not {given!r}" if given is not None else ", not nothing"
        if isinstance(given, str):
            expected = str(detail.get("ctx", {}).get("expected", ""))
            text += did_you_mean(given, [w.strip("' ") for w in expected.split("or")[0].split(",")])
    return document.error(keys, text + more)


def _without_tags(loc: tuple[Key, ...], data: Any) -> tuple[Key, ...]:
    """pydantic's location less the names of union members, which the file does not have."""
    keys: list[Key] = []
    for position, key in enumerate(loc):
        last = position == len(loc) - 1
        if isinstance(data, dict) and (key in data or last):
            keys.append(key)
            data = data.get(key)
        elif isinstance(data, list) and isinstance(key, int) and key < len(data):
            keys.append(key)
            data = data[key]
    return tuple(keys)


def _fields_at(model: type[BaseModel], loc: tuple[Key, ...]) -> set[str]:
    """The keys that are known at a pydantic location."""
    schema = model.model_json_schema()
    found = _descend(schema, schema, list(loc))
    return set(found) if found else set(schema.get("properties", {}))


def _descend(schema: Mapping[str, Any], root: Mapping[str, Any], loc: list[Key]) -> set[str]:
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return _descend(root["$defs"][name], root, loc)
    for branch in ("anyOf", "oneOf", "allOf"):
        if branch in schema:
            found: set[str] = set()
            for option in schema[branch]:
                found |= _descend(option, root, loc)
            return found
    if not loc:
        return set(schema.get("properties", {}))
    key, rest = loc[0], loc[1:]
    properties = schema.get("properties", {})
    if key in properties:
        return _descend(properties[key], root, rest)
    if isinstance(key, int) and "items" in schema:
        return _descend(schema["items"], root, rest)
    if "properties" in schema or "items" in schema:  # the name of a union's member
        return _descend(schema, root, rest)
    extra = schema.get("additionalProperties")
    return _descend(extra, root, rest) if isinstance(extra, dict) else set()


def _kind(value: Any) -> str:
    return {list: "list", str: "text", int: "number", float: "number"}.get(type(value), "value")
