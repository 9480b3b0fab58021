"""models.yaml: which checkpoints and endpoints a name stands for.

A name is looked up in this order: an entry under `checkpoints` or `endpoints`; a member of a family
(`ckpt_alpha1.5`); a model folder on disk; `provider/model`, which goes through LiteLLM. With a base
URL the server there decides, and the name only has to be one that it serves. See docs/models.md.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from agent.errors import UsageError
from agent.models import ChatStyle
from agent.suite import yamlfile
from agent.weights.names import member_name, parse_member

DEFAULT_FILE = Path("models.yaml")


class Serve(yamlfile.Strict):
    """How a checkpoint is served by vLLM; what is not named here goes into `flags`."""

    max_model_len: int | None = Field(default=None, ge=16)
    max_num_seqs: int | None = Field(default=None, ge=1)
    tensor_parallel_size: int | None = Field(default=None, ge=1)
    dtype: str | None = None
    tool_call_parser: str | None = None  # its presence means native tool calls
    reasoning_parser: str | None = None
    chat_template: str | None = None  # a file, or the name of one that ships ("hermes")
    kv_cache_gib: int = Field(default=1, ge=1)  # on the CPU
    flags: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict)
    ready_timeout_s: float = Field(default=1800.0, gt=0)


class Style(yamlfile.Strict):
    """How a model marks its thoughts and writes tool calls; see `ChatStyle`."""

    thoughts: tuple[tuple[str, str], ...] | None = None
    thoughts_opened: bool = False
    text_calls: Literal["xml", "fenced"] = "xml"

    def build(self) -> ChatStyle:
        style = ChatStyle(thoughts_opened=self.thoughts_opened, text_calls=self.text_calls)
        if self.thoughts is None:
            return style
        return ChatStyle(self.thoughts, self.thoughts_opened, self.text_calls)


class Family(yamlfile.Strict):
    a: Path
    b: Path
    dtype: Literal["bfloat16", "float16", "float32"] | None = None  # of merged members
    rounding: Literal["nearest", "stochastic"] = "nearest"
    serve: Serve = Serve()
    style: Style = Style()
    record_tokens: bool = False


class Plain(yamlfile.Strict):
    path: Path
    serve: Serve = Serve()
    style: Style = Style()
    record_tokens: bool = False


class Endpoint(yamlfile.Strict):
    """A server that someone else runs. Several URLs are replicas of one model."""

    base_url: str | None = None
    base_urls: tuple[str, ...] = ()
    model: str | None = None  # as the server calls it; default: the entry's name
    api_key_env: str | None = None
    provider: Literal["openai", "litellm"] = "openai"
    native_tools: bool = True
    context_tokens: int | None = Field(default=None, ge=16)
    extra: dict[str, Any] = Field(default_factory=dict)  # body fields of every request
    style: Style = Style()
    record_tokens: bool = False

    @field_validator("base_url")
    @classmethod
    def _url(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith(("http://", "https://")):
            raise ValueError(f"expected an http:// or https:// URL, not {value!r}")
        return value

    @model_validator(mode="after")
    def _one_kind(self) -> Endpoint:
        if self.provider == "openai" and not self.urls:
            raise ValueError("give `base_url` (or `base_urls`, or `provider: litellm`)")
        return self

    @property
    def urls(self) -> tuple[str, ...]:
        return ((self.base_url,) if self.base_url else ()) + self.base_urls


class _File(yamlfile.Strict):
    families: dict[str, Family] = Field(default_factory=dict)
    checkpoints: dict[str, Plain] = Field(default_factory=dict)
    endpoints: dict[str, Endpoint] = Field(default_factory=dict)
    merged: Path = Path("merged")


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """What a name stands for. `kind`: "member", "checkpoint", "endpoint", "litellm".

    path: the folder to serve; for a member with another α than 0 and 1 it is made when missing.
    """

    name: str
    kind: str
    family: str | None = None
    alpha: float | None = None
    path: Path | None = None
    parents: tuple[Path, Path] | None = None  # A and B
    merge: Mapping[str, Any] = field(default_factory=dict)  # dtype, rounding
    serve: Serve = field(default_factory=Serve)
    endpoint: Endpoint | None = None
    style: ChatStyle = field(default_factory=ChatStyle)
    record_tokens: bool = False

    @property
    def donor(self) -> Path | None:
        """A folder that has its configuration already: B for a member, else its own."""
        return self.parents[1] if self.parents else self.path

    @property
    def to_merge(self) -> bool:
        """Whether its folder is a merge of A and B, and not one of the two."""
        return self.parents is not None and self.path not in self.parents


class Registry:
    """The names of one models.yaml, or none when there is no such file."""

    def __init__(self, file: _File, root: Path, source: Path | None) -> None:
        self._file, self._root, self.source = file, root, source

    @property
    def families(self) -> Mapping[str, Family]:
        return self._file.families

    @property
    def names(self) -> tuple[str, ...]:
        """Names that can be used as they are; members of families are not listed."""
        return (*self._file.checkpoints, *self._file.endpoints)

    def rows(self) -> list[dict[str, str]]:
        """name, kind and where, for a listing; families by the form of their members' names."""
        rows = [
            {
                "name": f"{name}_alpha<α>",
                "kind": "family",
                "where": f"a: {self._path(family.a)}, b: {self._path(family.b)}",
            }
            for name, family in self._file.families.items()
        ]
        rows += [
            {"name": name, "kind": "checkpoint", "where": str(self._path(plain.path))}
            for name, plain in self._file.checkpoints.items()
        ]
        rows += [
            {
                "name": name,
                "kind": "endpoint" if endpoint.urls else "litellm",
                "where": ", ".join(endpoint.urls) or endpoint.model or name,
            }
            for name, endpoint in self._file.endpoints.items()
        ]
        return rows

    def resolve(
        self, name: str, *, base_url: str | None = None, merged_dir: Path | None = None
    ) -> ModelSpec:
        """What `name` stands for. Raises UsageError with the names that are near."""
        member = parse_member(name)
        if base_url is not None:
            return self._at(name, base_url, member)
        if name in self._file.checkpoints:
            plain = self._file.checkpoints[name]
            return ModelSpec(
                name,
                "checkpoint",
                path=self._path(plain.path),
                serve=plain.serve,
                style=plain.style.build(),
                record_tokens=plain.record_tokens,
            )
        if name in self._file.endpoints:
            return self._remote(name, self._file.endpoints[name])
        if member is not None and member[0] in self._file.families:
            return self._member(name, *member, merged_dir)
        if (Path(name) / "config.json").is_file():
            return ModelSpec(name, "checkpoint", path=Path(name).resolve())
        if "/" in name.strip("/") and not Path(name).exists() and not name.startswith((".", "/")):
            endpoint = Endpoint(provider="litellm", model=name)
            return ModelSpec(name, "litellm", endpoint=endpoint)
        raise UsageError(self._unknown(name, member))

    def _member(
        self, name: str, family_name: str, alpha: float, merged_dir: Path | None
    ) -> ModelSpec:
        family = self._file.families[family_name]
        a, b = self._path(family.a), self._path(family.b)
        if alpha in (0.0, 1.0) and family.dtype is None:
            path = b if alpha else a
        else:
            path = (merged_dir or self._path(self._file.merged)) / member_name(family_name, alpha)
        return ModelSpec(
            name,
            "member",
            family=family_name,
            alpha=alpha,
            path=path,
            parents=(a, b),
            merge={"dtype": family.dtype, "rounding": family.rounding},
            serve=family.serve,
            style=family.style.build(),
            record_tokens=family.record_tokens,
        )

    def _at(self, name: str, base_url: str, member: tuple[str, float] | None) -> ModelSpec:
        """A server that already runs; what models.yaml says about the name's style still holds."""
        family = self._file.families.get(member[0]) if member else None
        known: Family | Plain | Endpoint | None = (
            self._file.checkpoints.get(name) or self._file.endpoints.get(name) or family
        )
        if isinstance(known, Endpoint):
            endpoint = known.model_copy(update={"base_url": base_url, "base_urls": ()})
        else:
            native = known is None or known.serve.tool_call_parser is not None
            endpoint = Endpoint(base_url=base_url, native_tools=native)
        return ModelSpec(
            name,
            "endpoint",
            family=member[0] if member else None,
            alpha=member[1] if member else None,
            endpoint=endpoint,
            style=known.style.build() if known else ChatStyle(),
            record_tokens=bool(known and known.record_tokens),
        )

    @staticmethod
    def _remote(name: str, endpoint: Endpoint) -> ModelSpec:
        kind = "litellm" if endpoint.provider == "litellm" else "endpoint"
        return ModelSpec(
            name,
            kind,
            endpoint=endpoint,
            style=endpoint.style.build(),
            record_tokens=endpoint.record_tokens,
        )

    def _path(self, path: Path) -> Path:
        """Paths in the file are relative to the file."""
        return (self._root / path.expanduser()).resolve()

    def _unknown(self, name: str, member: tuple[str, float] | None) -> str:
        where = (
            str(self.source) if self.source else f"no {DEFAULT_FILE} here, and --models not given"
        )
        alpha = member[1] if member else 1.5
        known = [*self.names, *(member_name(f, alpha) for f in self._file.families)]
        near = difflib.get_close_matches(name, known, 3, cutoff=0.5)
        if near:
            hint = f"did you mean {' or '.join(near)}?"
        elif known:
            hint = f"it names {', '.join(known)}"
        else:
            hint = "name a checkpoint there, or give a folder, provider/model or --base-url"
        return f"model {name!r} is unknown ({where}); {hint}"


def load_registry(path: Path | None = None) -> Registry:
    """Reads `path`, else ./models.yaml when there is one. Raises UsageError (file, line, key)."""
    if path is None:
        if not DEFAULT_FILE.is_file():
            return Registry(_File(), Path.cwd(), None)
        path = DEFAULT_FILE
    file = yamlfile.check(_File, yamlfile.read(path))
    return Registry(file, path.resolve().parent, path)
