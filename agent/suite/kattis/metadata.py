"""`problem.yaml` of a package: kind of problem, limits, flags. Unknown keys are left alone."""

from __future__ import annotations

import configparser
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.suite.errors import SuiteError, at
from agent.suite.problem import ProblemLimits
from agent.suite.yamlfile import Document, read, read_text

LEGACY = ("legacy", "legacy-icpc")
MODERN = ("2023-07-draft", "2023-07", "2025-09", "2025-09-draft", "draft")
MIB = 1 << 20
DEFAULT_TIME_S = 10.0  # until a limit is derived from the accepted submissions
DEFAULT_MEMORY_MIB = 2048
DEFAULT_OUTPUT_MIB = 8
_PLAIN_KINDS = {"pass-fail", "scoring", "interactive"}


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a package says about itself."""

    version: str
    titles: Mapping[str, str]  # by language; "" when the package names none
    custom: bool | None  # a validator of its own; None: whether it ships one tells
    interactive: bool
    scoring: bool
    flags: tuple[str, ...]  # of the validator, for every test
    limits: ProblemLimits
    time_from: str  # where the time limit stands, "" when it is derived
    time_multiplier: float  # derived limit = max(1, ceil(multiplier x slowest accepted))
    source: str
    keywords: tuple[str, ...]

    @property
    def legacy(self) -> bool:
        return self.version in LEGACY


def read_metadata(folder: Path) -> Metadata:
    """Raises SuiteError when the package is of an unknown format or cannot be judged faithfully."""
    document = read(folder / "problem.yaml")
    data = document.data if document.data is not None else {}
    if not isinstance(data, dict):
        raise SuiteError(f"{document.path}: expected a mapping of keys to values")
    version = str(data.get("problem_format_version") or "legacy")
    if version not in (*LEGACY, *MODERN):
        known = ", ".join((*LEGACY, *MODERN))
        raise document.error(
            ("problem_format_version",), f"{version!r} is not a known format ({known})"
        )
    custom, interactive, scoring = _kind(data, version, document)
    limits = data.get("limits") or {}
    if not isinstance(limits, dict):
        raise document.error(("limits",), "expected a mapping of keys to values")
    time_s, time_from = _time_limit(folder, limits, document)
    return Metadata(
        version=version,
        titles=_titles(data.get("name"), document),
        custom=custom,
        interactive=interactive,
        scoring=scoring,
        flags=words(data.get("validator_flags"), document, ("validator_flags",)),
        limits=ProblemLimits(
            time_s=time_s or DEFAULT_TIME_S,
            memory_bytes=int(_number(limits, "memory", document, DEFAULT_MEMORY_MIB) * MIB),
            output_bytes=int(_number(limits, "output", document, DEFAULT_OUTPUT_MIB) * MIB),
            time_derived=time_s is None,
        ),
        time_from=time_from,
        time_multiplier=_multiplier(limits, version, document),
        source=_source(data),
        keywords=_keywords(data.get("keywords")),
    )


def _kind(
    data: Mapping[str, Any], version: str, document: Document
) -> tuple[bool | None, bool, bool]:
    """(validator of its own, interactive, scoring)."""
    if version in LEGACY:
        words_ = str(data.get("validation") or "default").split()
        known = {"default", "custom", "interactive", "score", "multipass", "multi-pass"}
        for word in words_:
            if word not in known:
                raise document.error(("validation",), f"{word!r} is not a known kind of validation")
        if "multipass" in words_ or "multi-pass" in words_:
            raise document.error(("validation",), "multi-pass problems cannot be judged here")
        if "score" in words_:
            raise document.error(
                ("validation",), "a validator that gives scores does not say what is right"
            )
        scoring = str(data.get("type") or "pass-fail") == "scoring"
        return "custom" in words_, "interactive" in words_, scoring
    given = data.get("type", "pass-fail")
    kinds = {str(k) for k in given} if isinstance(given, list) else set(str(given).split())
    for kind in sorted(kinds - _PLAIN_KINDS):
        raise document.error(("type",), f"{kind} problems cannot be judged here")
    validation = str(data.get("validation") or "")  # drafts of 2023-07 still had it
    interactive = "interactive" in kinds or "interactive" in validation.split()
    return (True if "custom" in validation.split() else None), interactive, "scoring" in kinds


def _time_limit(
    folder: Path, limits: Mapping[str, Any], document: Document
) -> tuple[float | None, str]:
    """`limits.time_limit`, else `.timelimit`, else domjudge-problem.ini, else nothing."""
    if limits.get("time_limit") is not None:
        return _number(limits, "time_limit", document, 0), "problem.yaml"
    path = folder / ".timelimit"
    if path.is_file():
        return _seconds(read_text(path).strip(), path), path.name
    path = folder / "domjudge-problem.ini"
    if path.is_file():
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        try:
            parser.read_string("[problem]\n" + read_text(path))
        except configparser.Error as error:
            raise SuiteError(f"{path}: {' '.join(str(error).split())}") from error
        value = parser["problem"].get("timelimit", "").strip("'\" ")
        if value:
            return _seconds(value, path), path.name
    return None, ""


def _seconds(text: str, path: Path) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 3600:
        raise SuiteError(at(path, 1, f"expected a time limit in seconds, not {text[:40]!r}"))
    return value


def _number(limits: Mapping[str, Any], key: str, document: Document, default: float) -> float:
    value = limits.get(key)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e6:
        raise document.error(("limits", key), f"expected a positive number, not {value!r}")
    return float(value)


def _multiplier(limits: Mapping[str, Any], version: str, document: Document) -> float:
    if version in LEGACY:
        return _number(limits, "time_multiplier", document, 5.0)
    factors = limits.get("time_multipliers")
    if not isinstance(factors, dict):
        return 2.0
    return _number(factors, "ac_to_time_limit", document, 2.0)


def words(value: Any, document: Document, keys: tuple[str | int, ...]) -> tuple[str, ...]:
    """Flags as a package writes them: one string, or a list of strings."""
    if value is None:
        return ()
    if isinstance(value, list):
        return tuple(str(word) for word in value)
    try:
        return tuple(shlex.split(str(value)))
    except ValueError as error:
        raise document.error(keys, f"cannot be split into words: {error}") from error


def _titles(value: Any, document: Document) -> dict[str, str]:
    if value is None:
        return {}
    if isinstance(value, dict):
        return {str(language): str(title) for language, title in value.items()}
    if isinstance(value, str | int | float):
        return {"": str(value)}
    raise document.error(("name",), "expected a text, or a text for each language")


def _source(data: Mapping[str, Any]) -> str:
    value = data.get("source")
    if isinstance(value, list) and value:
        value = value[0]
    if isinstance(value, dict):
        value = value.get("name")
    return str(value) if value else ""


def _keywords(value: Any) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(str(word) for word in value)
    return tuple(word for word in re.split(r"[,\s]+", str(value or "")) if word)
