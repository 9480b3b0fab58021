"""A suite for data that a user has: the source is told by the fields of its first row."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from agent.suite.errors import SuiteError, did_you_mean
from agent.suite.kattis.package import is_package
from agent.suite.own import is_own
from agent.suite.sources import known_sources
from agent.suite.sources.dataset import data_files
from agent.suite.sources.hub import is_hub_name
from agent.suite.sources.rows import Skip, open_data, parsed

# Fields of which a row of the source has at least these.
_FIELDS = {
    "livecodebench": {"question_content", "private_test_cases"},
    "codeforces": {"official_tests", "contest_id"},
    "functions": {"task_id"},
    "taco": {"question", "input_output", "time_limit"},
    "apps": {"question", "input_output"},
    "codecontests": {"description"},
}


def suite_text(path: str, source: str | None, base: Path) -> str:
    """The YAML of a suite with one entry; paths in it are relative to `base`."""
    local = Path(path).expanduser()
    if not is_hub_name(path) and local.is_dir() and (problems := _problem_folders(local)):
        entry = {"path": f"{_relative(local, base)}{problems}"}
        return _dump(local.resolve().name, entry)
    known = known_sources()
    if source is not None and source not in known:
        raise SuiteError(
            f"--source {source!r}: expected one of {', '.join(sorted(known))}"
            f"{did_you_mean(source, known)}"
        )
    where = path if is_hub_name(path) else _relative(local, base)
    name = Path(path).name.split(".")[0] or "suite"
    return _dump(name, {"source": source or _guess(path), "path": where})


def _dump(name: str, entry: Mapping[str, Any]) -> str:
    data = {"name": name, "problems": [dict(entry)]}
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True)


def _problem_folders(folder: Path) -> str:
    """What to add to the folder's path so that it names its problems, or "" when it has none."""
    if is_own(folder) or is_package(folder):
        return "/"
    return "/*" if any(folder.glob("*/problem.yaml")) else ""


def _relative(path: Path, base: Path) -> str:
    return os.path.relpath(path.resolve(), base.resolve())


def _guess(path: str) -> str:
    for file in data_files(path, Path(), lambda text: None):
        for _, raw in open_data(file, lambda text: None).lines():
            try:
                fields = set(parsed(raw))
            except Skip:
                continue
            for source, needed in _FIELDS.items():
                if needed <= fields:
                    return source
            shown = ", ".join(sorted(fields)[:8])
            raise SuiteError(f"{path}: no known format has the fields {shown}; give --source")
    raise SuiteError(f"{path}: no row can be read; give --source")
