"""`hf://…` names: files of a data set on the Hugging Face hub, through its own client."""

from __future__ import annotations

import fnmatch
import glob
from collections.abc import Callable
from pathlib import Path

from agent.suite.errors import SuiteError

PREFIX = "hf://"


def is_hub_name(name: str) -> bool:
    return name.startswith(PREFIX)


def parse(name: str) -> tuple[str, str, str | None]:
    """(repository, file or pattern in it, revision) of `hf://[datasets/]OWNER/NAME[@REV]/FILE`."""
    parts = name.removeprefix(PREFIX).removeprefix("datasets/").split("/")
    if len(parts) < 3 or not all(parts):
        raise SuiteError(
            f"{name}: expected hf://OWNER/NAME/FILE, e.g. …/test6.jsonl or …/*.parquet"
        )
    repository, _, revision = f"{parts[0]}/{parts[1]}".partition("@")
    return repository, "/".join(parts[2:]), revision or None


def local_copies(name: str, say: Callable[[str], None]) -> list[Path]:
    """The files, downloaded when the hub's cache lacks them. Raises SuiteError, also offline."""
    repository, pattern, revision = parse(name)
    try:
        from huggingface_hub import HfApi, hf_hub_download
    except ImportError:
        raise SuiteError(
            f"{name}: needs huggingface_hub (pip install huggingface_hub), or give a local file"
        ) from None
    try:
        wanted = [pattern]
        if glob.has_magic(pattern):
            files = HfApi().list_repo_files(repository, repo_type="dataset", revision=revision)
            wanted = fnmatch.filter(sorted(files), pattern)
            if not wanted:
                raise SuiteError(f"{name}: no file of {repository} matches")
        say(f"{name}: fetching {len(wanted)} file(s) unless they are here already")
        return [
            Path(hf_hub_download(repository, file, repo_type="dataset", revision=revision))
            for file in wanted
        ]
    except SuiteError:
        raise
    except Exception as error:  # the client raises many kinds, also its HTTP library's
        why = (
            str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__
        )
        raise SuiteError(
            f"{name}: cannot be fetched ({why}); with no network, download the file elsewhere and"
            " give its local path"
        ) from error
