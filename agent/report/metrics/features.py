"""What a submission looks like, from its text alone: loops, structures, tricks. No model judges.

Python is parsed; C++ is read by patterns after comments and strings are removed. These are hints
about an approach, not proof of it.
"""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass

STRUCTURES = (
    "recursion",
    "memo or DP table",
    "heap",
    "deque",
    "segment or Fenwick tree",
    "union-find",
    "binary search",
    "sorting",
    "hashing",
    "bit tricks",
    "numpy",
)
# What makes nested loops more than trying everything out.
_EFFICIENT = frozenset(STRUCTURES) - {"recursion", "bit tricks", "hashing"}

_WORDS: dict[str, re.Pattern[str]] = {
    "memo or DP table": re.compile(r"\b(dp|memo|cache|lru_cache|tabulation)\w*\b"),
    "heap": re.compile(r"\b(heapq|heappush|heappop|heapify|priority_queue|make_heap|push_heap)\b"),
    "deque": re.compile(r"\bdeque\b"),
    "segment or Fenwick tree": re.compile(
        r"\b(seg\w*tree|fenwick\w*|\w*bit_?tree|segtree)\b|\bi\s*[+-]=\s*i\s*&\s*-\s*i\b", re.I
    ),
    "union-find": re.compile(
        r"\b(dsu|union_?find|disjoint\w*|find_?(?:set|root)|union_?sets?)\b", re.I
    ),
    "binary search": re.compile(
        r"\b(bisect\w*|lower_bound|upper_bound|binary_search|searchsorted)\b"
        r"|\b(?:mid|middle)\s*=.*(?:>>\s*1|//?\s*2)"
    ),
    "sorting": re.compile(r"\b(sorted|sort|stable_sort|nth_element|argsort)\s*\("),
    "hashing": re.compile(r"\b(dict|set|defaultdict|Counter|unordered_map|unordered_set)\b"),
    "bit tricks": re.compile(r"<<|(?<!>)>>(?!>)|\^|__builtin_popcount|bit_count"),
    "numpy": re.compile(r"\b(numpy|np)\b"),
}
_TRY_ALL = re.compile(r"\b(permutations|combinations|product|next_permutation)\s*\(")
_CPP_NOISE = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|^\s*#[^\n]*", re.S | re.M
)
_CPP_LOOP = re.compile(r"\b(for|while|do)\b|[{};()]")
_CPP_FUNCTION = re.compile(r"\b([A-Za-z_]\w*)\s*\([^;{}()]*\)\s*(?:const\s*)?\{")


@dataclass(frozen=True, slots=True)
class Features:
    """Of one submission. `structures`: those of STRUCTURES that were found."""

    lines: int
    loop_depth: int
    structures: frozenset[str]
    tries_everything: bool  # itertools products, permutations, …
    parsed: bool = True

    @property
    def brute_force(self) -> bool:
        """Nested loops or enumeration, and nothing that would save work."""
        return (self.loop_depth >= 2 or self.tries_everything) and not (
            self.structures & _EFFICIENT
        )


def features(source: str, language: str) -> Features:
    """Features of a submission in any language; Python and C++ are understood best."""
    source = source[:200_000]
    lines = sum(1 for line in source.splitlines() if line.strip())
    if language.lower().startswith(("py", "cpython")):
        return _python(source, lines)
    text = _CPP_NOISE.sub(" ", source)
    found = {name for name, pattern in _WORDS.items() if pattern.search(text)}
    if re.search(r"\bmap\s*<|\bset\s*<", text):
        found.add("hashing")
    if "<<" in text and not re.search(r"\b1(?:LL|ull|ll)?\s*<<|popcount|\^", text):
        found.discard("bit tricks")  # streams, not shifts
    if _cpp_recursion(text):
        found.add("recursion")
    return Features(lines, _cpp_depth(text), frozenset(found), bool(_TRY_ALL.search(text)))


def _python(source: str, lines: int) -> Features:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
            depth = _loop_depth(tree)
            recursive = _recursive(tree)
            text = ast.unparse(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Features(lines, 0, frozenset(), False, parsed=False)
    found = {name for name, pattern in _WORDS.items() if pattern.search(text)}
    if any(
        isinstance(node, ast.Dict | ast.Set | ast.DictComp | ast.SetComp) for node in ast.walk(tree)
    ):
        found.add("hashing")
    if recursive:
        found.add("recursion")
    return Features(lines, depth, frozenset(found), bool(_TRY_ALL.search(text)))


def _loop_depth(node: ast.AST) -> int:
    """Deepest nesting of loops and comprehensions; `while True` around one read counts too."""
    deepest = 0
    for child in ast.iter_child_nodes(node):
        own = 0
        if isinstance(child, ast.For | ast.While | ast.AsyncFor):
            own = 1
        elif isinstance(child, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            own = len(child.generators)
        deepest = max(deepest, own + _loop_depth(child))
    return deepest


def _recursive(tree: ast.AST) -> bool:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for inner in ast.walk(node):
                if (
                    isinstance(inner, ast.Call)
                    and isinstance(inner.func, ast.Name)
                    and inner.func.id == node.name
                ):
                    return True
    return False


def _cpp_depth(text: str) -> int:
    """Deepest nesting of loops, with or without braces; `do … while` counts once."""
    deepest = parens = 0
    waiting = 0  # loop heads whose body has not begun
    open_loops: list[int] = []  # loops that each open brace belongs to
    for match in _CPP_LOOP.finditer(text):
        token = match.group()
        if token in ("for", "while", "do"):
            if token == "while" and text[match.end() :].lstrip()[:1] != "(":
                continue
            waiting += 1
            deepest = max(deepest, waiting + sum(open_loops))
        elif token == "(":
            parens += 1
        elif token == ")":
            parens = max(0, parens - 1)
        elif token == "{":
            open_loops.append(waiting)
            waiting = 0
        elif token == "}":
            if open_loops:
                open_loops.pop()
            waiting = 0
        elif token == ";" and parens == 0:
            waiting = 0
    return deepest


def _cpp_recursion(text: str) -> bool:
    keywords = {"if", "for", "while", "switch", "main", "catch"}
    for match in _CPP_FUNCTION.finditer(text):
        name = match.group(1)
        if name in keywords:
            continue
        depth, end = 1, match.end()
        while end < len(text) and depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        if re.search(rf"\b{re.escape(name)}\s*\(", text[match.end() : end]):
            return True
    return False
