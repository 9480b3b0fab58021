"""Names of a family's members: `ckpt_alpha1.5` is θ = 1.5·B + (1 − 1.5)·A of family `ckpt`."""

from __future__ import annotations

import math
import re

from agent.errors import UsageError

_MEMBER = re.compile(r"(?P<family>.+)_alpha(?P<alpha>-?[0-9][^_/\s]*)")
MAX_MEMBERS = 1000


def alpha_text(alpha: float) -> str:
    """The one spelling of an α: the shortest that reads back to the same number ("1", "-0.5")."""
    if not math.isfinite(alpha):
        raise UsageError(f"alpha must be a finite number, got {alpha}")
    return str(int(alpha)) if alpha == int(alpha) and abs(alpha) < 1e15 else repr(float(alpha))


def member_name(family: str, alpha: float) -> str:
    """`member_name("ckpt", 1.5)` is `"ckpt_alpha1.5"`; `parse_member` reads it back exactly."""
    return f"{family}_alpha{alpha_text(alpha)}"


def parse_member(name: str) -> tuple[str, float] | None:
    """`"ckpt_alpha-0.5"` is `("ckpt", -0.5)`; None when `name` is not a member's name.

    Other spellings of the number (`ckpt_alpha1.50`) are understood too.
    """
    match = _MEMBER.fullmatch(name)
    if match is None:
        return None
    try:
        alpha = float(match["alpha"])
    except ValueError:
        return None
    return (match["family"], alpha) if math.isfinite(alpha) else None


def parse_alphas(text: str) -> tuple[float, ...]:
    """`"1.5"`, `"-0.5,0,1"` or `"start:stop:step"` (stop included) as distinct numbers, in order.

    A range is counted in whole steps and rounded to 12 decimals, so `0:1:0.1` holds 0.3 itself.
    """
    alphas: list[float] = []
    for part in text.replace(",", " ").split():
        pieces = part.split(":")
        try:
            numbers = [float(piece) for piece in pieces]
        except ValueError:
            raise UsageError(f"alphas: {part!r} is neither a number nor start:stop:step") from None
        if not all(map(math.isfinite, numbers)):
            raise UsageError(f"alphas: {part!r} is not finite")
        if len(numbers) == 1:
            alphas.append(numbers[0] + 0.0)
        elif len(numbers) == 3:
            alphas.extend(_steps(part, *numbers))
        else:
            raise UsageError(f"alphas: {part!r} is neither a number nor start:stop:step")
    if not alphas:
        raise UsageError("alphas: none given")
    return tuple(dict.fromkeys(alphas))


def _steps(part: str, start: float, stop: float, step: float) -> list[float]:
    if step == 0 or (stop - start) / step < 0:
        raise UsageError(f"alphas: {part!r} never reaches its end")
    count = math.floor((stop - start) / step + 1e-9) + 1
    if count > MAX_MEMBERS:
        raise UsageError(f"alphas: {part!r} names {count} members, more than {MAX_MEMBERS}")
    return [round(start + i * step, 12) + 0.0 for i in range(count)]
