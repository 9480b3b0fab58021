"""What is read from a program's text."""

from __future__ import annotations

import pytest

from agent.report.metrics.features import features
from tests.report.synthetic import BRUTE, CPP, FAST


def test_brute_force_and_efficient_programs_differ() -> None:
    brute = features(BRUTE.format(draft=1, target=7), "python")
    assert brute.loop_depth == 2
    assert brute.brute_force
    fast = features(FAST.format(draft=1, target=7), "python")
    assert fast.loop_depth == 1
    assert not fast.brute_force
    assert "hashing" in fast.structures
    cpp = features(CPP.format(draft=1, target=7), "cpp")
    assert cpp.structures >= {"sorting", "binary search"}
    assert not cpp.brute_force
    assert "bit tricks" not in cpp.structures  # streams are no shifts


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import heapq\nheapq.heappush(h, 1)", "heap"),
        ("from collections import deque\nq = deque()", "deque"),
        ("def f(n):\n    return n and f(n - 1)", "recursion"),
        ("dp = [0] * n", "memo or DP table"),
        (
            "from functools import lru_cache\n@lru_cache(None)\ndef f(x): return x",
            "memo or DP table",
        ),
        ("while i <= n:\n    t[i] += v\n    i += i & -i", "segment or Fenwick tree"),
        ("def find_root(x):\n    return p[x]", "union-find"),
        ("mid = (lo + hi) // 2", "binary search"),
        ("import numpy as np\nnp.cumsum(a)", "numpy"),
        ("x = a ^ b", "bit tricks"),
        ("a = sorted(b)", "sorting"),
    ],
)
def test_python_structures(source: str, name: str) -> None:
    assert name in features(source, "python").structures


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("priority_queue<int> q;", "heap"),
        ("int f(int n) { if (n) return f(n - 1); return 0; }", "recursion"),
        ("int x = 1 << k;", "bit tricks"),
        ("vector<vector<int>> dp(n);", "memo or DP table"),
        ("unordered_map<int, int> seen;", "hashing"),
        ("struct DSU { int find(int); };", "union-find"),
    ],
)
def test_cpp_structures(source: str, name: str) -> None:
    assert name in features(source, "cpp").structures


@pytest.mark.parametrize(
    ("source", "depth"),
    [
        ("for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) s += a[i][j];", 2),
        ("for (;;) { while (x) { x--; } } for (;;) { }", 2),
        ("for (int i = 0; i < n; i++) { f(); } for (int j = 0; j < n; j++) { g(); }", 1),
        ("for (int i = 0; i < n; i++) if (a[i]) { for (;;) { } }", 2),
        ("// for (;;) for (;;) for (;;)\nint x;", 0),
        ('puts("for (;;) { for (;;)");', 0),
    ],
)
def test_cpp_nesting(source: str, depth: int) -> None:
    assert features(source, "cpp").loop_depth == depth


def test_comprehensions_nest() -> None:
    assert features("x = [a for b in c for a in b]", "python").loop_depth == 2


@pytest.mark.parametrize(
    "source", ["def f(:", "x" * 10, "\x00", "(" * 5000, "", "while True:\n" + " " * 4 + "pass"]
)
def test_odd_programs_are_no_trouble(source: str) -> None:
    for language in ("python", "cpp", "cobol"):
        features(source, language)
    assert features("def f(:", "python").parsed is False
