"""`data/` of a package: tests, nested groups, and the flags that they pass to the validator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.suite.data import Bytes, File
from agent.suite.errors import SuiteError
from agent.suite.kattis.metadata import words
from agent.suite.problem import Data, Test
from agent.suite.yamlfile import Document, read

GROUP_FILES = ("test_group.yaml", "testdata.yaml")
_FLAG_KEYS = ("output_validator_args", "output_validator_flags")


@dataclass(frozen=True, slots=True)
class _Group:
    """What a folder of tests says, on top of the folder above it."""

    flags: tuple[str, ...] = ()

    def below(self, document: Document | None) -> _Group:
        if document is None or not isinstance(document.data, dict):
            return self
        for key in _FLAG_KEYS:
            if key in document.data:
                return _Group(_flags(document.data[key], document, key))
        return self


def _flags(value: Any, document: Document, key: str) -> tuple[str, ...]:
    if isinstance(value, dict):  # by validator: there is only one here
        if len(value) > 1:
            raise document.error((key,), "flags for several validators cannot be told apart")
        value = next(iter(value.values()), None)
    return words(value, document, (key,))


def read_tests(folder: Path, *, answers_optional: bool) -> list[Test]:
    """All tests of `data/sample` and `data/secret`, flags of their groups resolved.

    answers_optional: interactive problems may leave an answer out; it is empty then.
    """
    data = folder / "data"
    top = _Group().below(_group_file(data))
    found: list[Test] = []
    for part in ("sample", "secret"):
        if (data / part).is_dir():
            found += _walk(data / part, part, top, folder, answers_optional)
    return found


def _group_file(folder: Path) -> Document | None:
    for name in GROUP_FILES:
        if (folder / name).is_file():
            return read(folder / name)
    return None


def _walk(
    folder: Path, name: str, above: _Group, package: Path, answers_optional: bool
) -> Iterator[Test]:
    group = above.below(_group_file(folder))
    for path in sorted(folder.iterdir()):
        if path.is_dir() and path.suffix != ".files":
            yield from _walk(path, f"{name}/{path.name}", group, package, answers_optional)
        elif path.suffix == ".in":
            yield _test(path, name, group, package, answers_optional)
        elif path.suffix == ".ans" and not path.with_suffix(".in").exists():
            raise SuiteError(f"{path}: has no {path.stem}.in beside it")


def _test(path: Path, group: str, above: _Group, package: Path, answers_optional: bool) -> Test:
    answer_path = path.with_suffix(".ans")
    answer: Data
    if answer_path.exists() or not answers_optional:
        if not answer_path.exists():
            raise SuiteError(f"{path}: has no {answer_path.name} beside it")
        answer = File.at(inside(answer_path, package))
    else:
        answer = Bytes(b"")
    flags = above.flags
    settings = path.with_suffix(".yaml")
    if settings.is_file():
        document = read(settings)
        if isinstance(document.data, dict):
            for key in ("args", "files"):
                if document.data.get(key):
                    raise document.error((key,), "submissions cannot be given arguments or files")
        flags = above.below(document).flags
    if path.with_suffix(".files").exists():
        raise SuiteError(f"{path.with_suffix('.files')}: submissions cannot be given files")
    return Test(
        name=f"{group}/{path.stem}",
        input=File.at(inside(path, package)),
        answer=answer,
        sample=group.split("/")[0] == "sample",
        group=group,
        flags=flags,
    )


def inside(path: Path, package: Path) -> Path:
    """The path, unless a symbolic link leads it out of the folder that holds the package.

    Contests share files between sibling packages by links, so the folder above is allowed.
    """
    real = path.resolve()
    if not real.is_relative_to(package.resolve().parent):
        raise SuiteError(f"{path}: a link that leads out of the package")
    return path
