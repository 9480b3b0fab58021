"""The three modes: which tools, which limits, which settings a user may change."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from agent.errors import UsageError
from agent.models import ChatModel, Sampling
from agent.modes import AttemptLimits
from agent.modes.answer import known_languages
from agent.modes.calls import FORMS, schemas
from agent.modes.prompt import template_sources
from agent.modes.workspace import AttemptWorkspace
from agent.suite.errors import did_you_mean
from tools import Tool, Workspace
from tools.bash import Bash
from tools.files import Create, Edit, View
from tools.python import SessionPython, StatelessPython
from tools.run_tests import RunTests, SampleRunner
from tools.submit import Accepted, Submit


@dataclass(frozen=True, slots=True)
class Identity:
    """What a mode is: `settings` holds everything that can change an attempt, `hash` names it."""

    hash: str
    settings: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Parts:
    """What tools are built from. Without a pool behind the workspace they are only described."""

    workspace: Workspace = field(default_factory=AttemptWorkspace)
    samples: SampleRunner | None = None
    accepted: Accepted = field(default_factory=Accepted)


def accepting(languages: Sequence[str]) -> Accepted:
    """The accepted languages with their file endings, from languages.yaml."""
    known = known_languages()
    endings: dict[str, str] = {}
    for name in languages:
        # PyPy has no ending of its own: it takes Python's where Python is not accepted itself.
        source = "python" if name == "pypy" else name
        for ending in known.find(source).entry.extensions:
            endings.setdefault(ending, name)
    return Accepted(tuple(languages), endings)


@dataclass(frozen=True, slots=True)
class Mode:
    """One way to let a model work."""

    name: str
    limits: AttemptLimits
    tool_names: tuple[str, ...] = ()
    variant: str = ""
    tool_form: str = "auto"  # "auto": native where the server parses calls, else the model's own
    output_chars: int = 8000  # of one tool result

    @property
    def uses_workspace(self) -> bool:
        return bool(self.tool_names)

    def form_for(self, model: ChatModel) -> str:
        """How this model calls tools in this mode: "native", "xml" or "fenced"."""
        if self.tool_form != "auto":
            return self.tool_form
        return "native" if model.native_tools else model.style.text_calls

    def tools(self, parts: Parts) -> tuple[Tool, ...]:
        """The mode's tools, working in the given workspace."""
        return tuple(_FACTORIES[name](self, parts) for name in self.tool_names)

    def described(self, languages: Sequence[str]) -> tuple[Tool, ...]:
        """The same tools without a sandbox, for prompts and identities."""
        return self.tools(Parts(accepted=accepting(languages)))

    def announced(self, sampling: Sampling) -> Mapping[str, int]:
        """The budget as the prompt tells it."""
        limits = self.limits
        message = min(sampling.max_tokens, limits.tokens_per_turn or sampling.max_tokens)
        return {
            "turns": limits.turns,
            "tokens": limits.tokens,
            "message_tokens": min(message, limits.tokens),
        }

    def identity(
        self, *, sampling: Mapping[str, Any] | Sampling, languages: Sequence[str]
    ) -> Identity:
        """Hash of template, tools, limits and sampling, and what went into it."""
        settings = {
            "mode": self.name,
            "variant": self.variant,
            "tool_form": self.tool_form,
            "output_chars": self.output_chars,
            "limits": asdict(self.limits),
            "sampling": asdict(sampling) if isinstance(sampling, Sampling) else dict(sampling),
            "languages": list(languages),
            "tools": [dict(schema) for schema in schemas(self.described(languages))],
            "prompt": template_sources(self.name),
        }
        text = json.dumps(settings, sort_keys=True, ensure_ascii=False)
        return Identity(hashlib.sha256(text.encode()).hexdigest()[:16], settings)


def _python(mode: Mode, parts: Parts) -> Tool:
    kind = SessionPython if mode.variant == "session" else StatelessPython
    return kind(
        parts.workspace,
        timeout_s=mode.limits.tool_s,
        memory_bytes=mode.limits.tool_memory_bytes,
        output_chars=mode.output_chars,
    )


def _bash(mode: Mode, parts: Parts) -> Tool:
    return Bash(
        parts.workspace,
        timeout_s=mode.limits.tool_s,
        memory_bytes=mode.limits.tool_memory_bytes,
        output_chars=mode.output_chars,
    )


_FACTORIES: Mapping[str, Callable[[Mode, Parts], Tool]] = {
    "python": _python,
    "bash": _bash,
    "view": lambda mode, parts: View(parts.workspace, output_chars=mode.output_chars),
    "create": lambda mode, parts: Create(parts.workspace),
    "edit": lambda mode, parts: Edit(parts.workspace),
    "run_tests": lambda mode, parts: RunTests(
        parts.workspace, parts.samples, parts.accepted, output_chars=mode.output_chars
    ),
    "submit": lambda mode, parts: Submit(parts.workspace, parts.accepted),
}

_MODES: Mapping[str, Mode] = {
    mode.name: mode
    for mode in (
        Mode("reasoning", AttemptLimits()),
        Mode(
            "tool_use",
            AttemptLimits(turns=10, tokens=1 << 15, reserve_tokens=2048),
            tool_names=("python",),
            variant="stateless",
        ),
        Mode(
            "agentic",
            AttemptLimits(
                turns=40,
                tokens=1 << 16,
                reserve_tokens=2048,
                tool_s=60.0,
                tool_memory_bytes=1 << 30,
            ),
            tool_names=("bash", "view", "create", "edit", "run_tests", "submit"),
        ),
    )
}

MODES: tuple[str, ...] = tuple(_MODES)
_VARIANTS = {"tool_use": ("stateless", "session")}


def load_mode(name: str, settings: Mapping[str, Any] | None = None) -> Mode:
    """The mode `name` with the user's settings on top of its defaults.

    Settings are the fields of AttemptLimits, `tool_form`, `output_chars`, and for tool_use
    `variant`. Raises UsageError for an unknown mode or setting, or a value of the wrong kind.
    """
    if name not in _MODES:
        hint = did_you_mean(name, MODES)
        raise UsageError(f"mode {name!r}: expected one of {', '.join(MODES)}{hint}")
    mode = _MODES[name]
    limits: dict[str, Any] = {}
    own: dict[str, Any] = {}
    for key, value in (settings or {}).items():
        if key in _LIMITS:
            limits[key] = _number(name, key, value)
        elif key == "output_chars":
            own[key] = _number(name, key, value)
        elif key == "tool_form":
            own[key] = _choice(name, key, value, ("auto", *FORMS))
        elif key == "variant" and name in _VARIANTS:
            own[key] = _choice(name, key, value, _VARIANTS[name])
        else:
            known = (*_LIMITS, "output_chars", "tool_form")
            if name in _VARIANTS:
                known = ("variant", *known)
            raise UsageError(
                f"mode {name}: unknown setting {key!r}{did_you_mean(key, known)};"
                f" there are: {', '.join(known)}"
            )
    if name == "reasoning" and limits.get("turns", 1) != 1:
        raise UsageError("mode reasoning: `turns` is always 1; for more turns use tool_use")
    return replace(mode, limits=replace(mode.limits, **limits), **own)


_LIMITS: Mapping[str, bool] = {  # name -> whether it counts things (else it is in seconds)
    limit.name: not limit.name.endswith("_s") for limit in fields(AttemptLimits)
}


def _number(mode: str, key: str, value: Any) -> int | float:
    whole = _LIMITS.get(key, True)
    least = 0 if key == "reserve_tokens" else 1 if whole else 0.001
    good = isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)
    if not good or not value >= least:
        what = "a whole number" if whole else "seconds"
        raise UsageError(f"mode {mode}: `{key}` is {value!r}; expected {what}, at least {least:g}")
    return int(value) if whole else float(value)


def _choice(mode: str, key: str, value: Any, allowed: Sequence[str]) -> str:
    if value not in allowed:
        raise UsageError(
            f"mode {mode}: `{key}` is {value!r}; expected one of {', '.join(allowed)}"
            f"{did_you_mean(str(value), allowed)}"
        )
    return str(value)
