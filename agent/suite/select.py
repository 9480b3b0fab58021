"""Which problems of a source a suite takes: filters that every source understands."""

from __future__ import annotations

import datetime
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from pydantic import Field, field_validator

from agent.suite.yamlfile import Strict


class Selection(Strict):
    """Filters are joined by "and"; `first` and `sample` apply to what the others left."""

    difficulty: tuple[str, ...] = Field(default=(), description="Any of these difficulties.")
    tags: tuple[str, ...] = Field(default=(), description="At least one of these tags.")
    ids: tuple[str, ...] = Field(default=(), description="Exactly these problems.")
    regex: str = Field(default="", description="A regular expression found in id or title.")
    after: datetime.date | None = Field(default=None, description="Dated on or after this day.")
    before: datetime.date | None = Field(default=None, description="Dated before this day.")
    first: int | None = Field(default=None, gt=0, description="Only the first N.")
    sample: int | None = Field(default=None, gt=0, description="N drawn by `sample_seed`.")
    sample_seed: int = 0

    @field_validator("difficulty", "tags", "ids", mode="before")
    @classmethod
    def _one_is_a_list(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @field_validator("regex")
    @classmethod
    def _compiles(cls, value: str) -> str:
        try:
            re.compile(value)
        except re.error as error:
            raise ValueError(f"not a regular expression: {error}") from None
        return value


@dataclass(frozen=True, slots=True)
class Facts:
    """What the filters look at; known before a problem's tests are."""

    id: str
    title: str = ""
    difficulty: str = ""
    tags: tuple[str, ...] = ()
    date: str = ""  # ISO 8601


Item = TypeVar("Item")


def chosen(items: Sequence[tuple[Facts, Item]], by: Selection) -> list[Item]:
    """The selected items, in their order."""
    left = [(facts, item) for facts, item in items if _takes(by, facts)]
    if by.first is not None:
        left = left[: by.first]
    if by.sample is not None and by.sample < len(left):
        drawn = random.Random(by.sample_seed).sample(range(len(left)), by.sample)
        left = [left[i] for i in sorted(drawn)]
    return [item for _, item in left]


def _takes(by: Selection, facts: Facts) -> bool:
    day = facts.date[:10]
    return (
        (not by.difficulty or facts.difficulty in by.difficulty)
        and (not by.tags or not set(by.tags).isdisjoint(facts.tags))
        and (not by.ids or facts.id in by.ids)
        and (
            not by.regex or bool(re.search(by.regex, facts.id) or re.search(by.regex, facts.title))
        )
        and (by.after is None or day >= by.after.isoformat())
        and (by.before is None or (day != "" and day < by.before.isoformat()))
    )
