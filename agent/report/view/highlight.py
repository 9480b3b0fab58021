"""Source text as (class, text) pairs: the page makes elements of them, no markup is sent."""

from __future__ import annotations

from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, Operator, String, _TokenType
from pygments.util import ClassNotFound

_CLASSES = (
    (Comment, "c"),
    (Keyword, "k"),
    (String, "s"),
    (Number, "n"),
    (Name.Function, "f"),
    (Name.Class, "f"),
    (Name.Builtin, "b"),
    (Operator.Word, "k"),
)
_PLAIN_ABOVE = 60_000  # characters; longer texts come without colours


def tokens(source: str, language: str) -> list[tuple[str, str]]:
    """The source in pieces with a colour class each ("" for plain text)."""
    name = {"cpp": "cpp", "c++": "cpp", "python": "python", "pypy": "python"}.get(
        language, language
    )
    if len(source) > _PLAIN_ABOVE:
        return [("", source)]
    try:
        lexer = get_lexer_by_name(name, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return [("", source)]
    pieces: list[tuple[str, str]] = []
    for kind, text in lexer.get_tokens(source):
        style = _class(kind)
        if pieces and pieces[-1][0] == style:
            pieces[-1] = style, pieces[-1][1] + text
        else:
            pieces.append((style, text))
    return pieces


def _class(kind: _TokenType) -> str:
    ancestors = kind.split()
    return next((name for parent, name in _CLASSES if parent in ancestors), "")
