"""Whether a conversation only grows: turn t+1's prompt starts with turn t's prompt and answer.

Where it does not, a chat template has dropped or rewritten something (often the thoughts), the
server's prefix cache does not help, and a trainer would see other tokens than the model did.
"""

from __future__ import annotations

from collections.abc import Sequence

from agent.models import Completion


def first_difference(earlier: Completion, later: Completion) -> int | None:
    """The token at which `later`'s prompt leaves `earlier`'s prompt and answer.

    None when it only grew, or when the answers hold no token ids (`record_tokens` in models.yaml).
    """
    seen = _ids(earlier, "prompt_token_ids") + _ids(earlier, "token_ids")
    prompt = _ids(later, "prompt_token_ids")
    if not seen or not prompt:
        return None
    for place, (one, two) in enumerate(zip(seen, prompt, strict=False)):
        if one != two:
            return place
    return None if len(prompt) >= len(seen) else len(prompt)


def _ids(completion: Completion, key: str) -> list[int]:
    value = completion.raw.get(key)
    return list(value) if isinstance(value, Sequence) else []
