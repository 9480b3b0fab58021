"""Writes runs with a known truth through the real schema, of any size.

`World` holds the probability of every outcome for every cell and problem; `write` draws attempts
from it. What the report estimates can then be compared with what is true.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.run.plan import seed_of
from agent.run.schema import MIGRATIONS, VERSION

OUTCOMES = ("solved", "correctness_failure", "optimization_failure", "no_submission")
MODES = ("reasoning", "tool_use", "agentic")
SIZES = (10, 60, 400, 6_000, 50_000)  # bytes of the tests' inputs

BRUTE = """\
def main():
    n, *xs = map(int, open(0).read().split())
    best = 0  # draft {draft}
    for i in range(n):
        for j in range(i + 1, n):
            if xs[i] + xs[j] == {target}:
                best += 1
    print(best)


main()
"""
FAST = """\
from collections import Counter


def main():
    n, *xs = map(int, open(0).read().split())
    seen = Counter()  # draft {draft}
    total = 0
    for x in xs:
        total += seen[{target} - x]
        seen[x] += 1
    print(total)


main()
"""
CPP = """\
#include <bits/stdc++.h>
using namespace std;
int main() {{  // draft {draft}
    int n; cin >> n; vector<long long> xs(n);
    for (auto &x : xs) cin >> x;
    sort(xs.begin(), xs.end());
    long long total = 0;
    for (int i = 0; i < n; i++)
        total += upper_bound(xs.begin() + i + 1, xs.end(), {target} - xs[i])
               - lower_bound(xs.begin() + i + 1, xs.end(), {target} - xs[i]);
    cout << total << endl;
}}
"""


@dataclass(frozen=True)
class World:
    """`probability`: (cells, problems, outcomes of OUTCOMES). Cells: alphas x modes, mode first."""

    alphas: tuple[float, ...]
    modes: tuple[str, ...]
    probability: NDArray[np.float64]
    clusters: tuple[str, ...]

    @property
    def problems(self) -> int:
        return int(self.probability.shape[1])

    def cells(self) -> Iterator[tuple[int, str, float]]:
        """(index, mode, alpha)."""
        for m, mode in enumerate(self.modes):
            for a, alpha in enumerate(self.alphas):
                yield m * len(self.alphas) + a, mode, alpha


def frontier_world(
    alphas: tuple[float, ...] = (-0.5, 0.0, 0.5, 1.0, 1.5),
    modes: tuple[str, ...] = MODES,
    problems: int = 40,
    *,
    seed: int = 0,
    cluster_size: int = 1,
    steepness: float = 2.0,
) -> World:
    """A world with the trade-off: along α fewer slow programs and more wrong ones."""
    rng = np.random.default_rng(seed)
    clusters = tuple(f"c{i // cluster_size}" for i in range(problems))
    shared = rng.normal(0, 0.8, problems // cluster_size + 1)
    lean = rng.normal(0, 0.8, problems) + np.repeat(shared, cluster_size)[:problems]
    slow = rng.beta(4, 2, problems)  # a brute force is too slow
    right = rng.beta(3, 3, problems)  # a fast program is right
    table = np.zeros((len(alphas) * len(modes), problems, 4))
    for m, _ in enumerate(modes):
        for a, alpha in enumerate(alphas):
            fast = 1 / (1 + np.exp(-(steepness * (alpha - 0.5) + lean)))
            none = 0.02 + 0.03 * m
            good = np.minimum(0.97, right + 0.08 * m)
            solved = (1 - fast) * (1 - slow) + fast * good
            optimization = (1 - fast) * slow
            cell = np.stack([solved, 1 - solved - optimization, optimization], axis=1) * (1 - none)
            table[m * len(alphas) + a] = np.concatenate([cell, np.full((problems, 1), none)], 1)
    return World(alphas, modes, table, clusters)


def create(folder: Path) -> sqlite3.Connection:
    """An empty run file with the current schema."""
    folder.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(folder / "run.sqlite", isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = OFF")
    for script in MIGRATIONS:
        db.executescript(script)
    db.execute(f"PRAGMA user_version = {VERSION}")
    return db


def write(
    folder: Path,
    world: World,
    *,
    n: int = 8,
    seed: int = 0,
    done: float = 1.0,
    errors: int = 0,
    family: str = "ckpt",
    transcripts: bool = True,
    tests: bool = True,
    duplicates: bool = False,
    temperature: float = 1.0,
    time_limit_s: float = 1.0,
    judging: dict[str, Any] | None = None,
) -> NDArray[np.int8]:
    """Draws `n` samples for each cell and problem; the outcome codes, (cells, problems, n).

    `done`: share of the attempts that are finished; `errors`: infrastructure errors to record.
    """
    rng = np.random.default_rng(seed)
    cells, problems = world.probability.shape[:2]
    cumulative = world.probability.cumsum(axis=2)[:, :, None, :]
    draws = (rng.random((cells, problems, n, 1)) > cumulative[..., :3]).sum(axis=3).astype(np.int8)
    db = create(folder)
    db.execute("BEGIN")
    _write_plan(db, world, family, seed, temperature, time_limit_s, judging)
    count = cells * problems * n
    cell = np.repeat(np.arange(cells), problems * n)
    problem = np.tile(np.repeat(np.arange(problems), n), cells)
    sample = np.tile(np.arange(n), cells * problems)
    names = [(f"{family}_alpha{alpha:g}", mode) for _, mode, alpha in world.cells()]
    if count <= 50_000:
        seeds = [
            seed_of(seed, f"p{p:04}", names[c][1], names[c][0], s)
            for c, p, s in zip(cell.tolist(), problem.tolist(), sample.tolist(), strict=True)
        ]
    else:
        seeds = list(range(count))
    ids = np.arange(1, count + 1)
    db.executemany(
        "INSERT INTO attempts VALUES (?, ?, ?, ?, ?)",
        zip(
            ids.tolist(),
            (cell + 1).tolist(),
            (problem + 1).tolist(),
            sample.tolist(),
            seeds,
            strict=True,
        ),
    )
    alpha = np.array([a for _, _, a in world.cells()])[cell]
    mode = np.array([world.modes.index(m) for _, m, _ in world.cells()])[cell]
    outcome = draws.reshape(-1)
    finished = rng.random(count) < done if done < 1 else np.ones(count, bool)
    _write_results(
        db, rng, ids, problem, sample, alpha, mode, outcome, finished,
        transcripts=transcripts, tests=tests, duplicates=duplicates, limit=time_limit_s,
    )  # fmt: skip
    waiting = ids[~finished] if (~finished).any() else ids
    db.executemany(
        "INSERT INTO errors (attempt, at, stage, message) VALUES (?, ?, ?, ?)",
        (
            (int(waiting[i % len(waiting)]), 1.7e9 + i, "model", "connection refused")
            for i in range(errors)
        ),
    )
    db.execute("COMMIT")
    db.close()
    return draws


def _write_plan(
    db: sqlite3.Connection,
    world: World,
    family: str,
    seed: int,
    temperature: float,
    time_limit_s: float,
    judging: dict[str, Any] | None,
) -> None:
    for key, value in {
        "suite": {"name": "synthetic", "problems": world.problems},
        "seed": seed,
        "version": "0.1.0",
    }.items():
        db.execute("INSERT INTO meta VALUES (?, ?)", (key, json.dumps(value)))
    for p in range(world.problems):
        info = {
            "tags": ["synthetic"],
            "cluster": world.clusters[p],
            "statement": f"Count pairs {p}.",
        }
        digest = hashlib.sha256(f"{p} {time_limit_s}".encode()).hexdigest()
        db.execute(
            "INSERT INTO problems VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (p + 1, f"p{p:04}", f"Pairs {p}", ("easy", "medium", "hard")[p % 3], time_limit_s,
             1 << 28, digest, json.dumps(info)),
        )  # fmt: skip
        db.executemany(
            "INSERT INTO problem_tests VALUES (?, ?, ?, ?, ?)",
            ((p + 1, i, f"t{i}", size, int(i == 0)) for i, size in enumerate(SIZES)),
        )
    for index, mode, alpha in world.cells():
        settings = {
            "sampling": {"temperature": temperature, "top_p": 1.0, "max_tokens": 4096},
            "limits": {"turns": 1 + 7 * world.modes.index(mode)},
            "prompt": f"You solve problems.\n{{{{ statement }}}}\nMode: {mode}.",
            "tools": [] if mode == "reasoning" else [{"name": "python"}],
        }
        identity = {"weights": hashlib.sha256(f"{alpha}".encode()).hexdigest(), "flags": ["--seed"]}
        db.execute(
            "INSERT INTO cells VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (index + 1, f"{family}_alpha{alpha:g}", family, alpha, mode,
             hashlib.sha256(f"{mode} {temperature}".encode()).hexdigest(),
             json.dumps(settings), json.dumps(identity)),
        )  # fmt: skip
    conditions = judging or {"all_tests": False, "sandbox": "docker", "judge": "1", "machine": "m1"}
    db.execute("INSERT INTO judgings VALUES (1, 1.7e9, ?)", (json.dumps(conditions),))


def _write_results(
    db: sqlite3.Connection,
    rng: np.random.Generator,
    ids: NDArray[Any],
    problem: NDArray[Any],
    sample: NDArray[Any],
    alpha: NDArray[Any],
    mode: NDArray[Any],
    outcome: NDArray[Any],
    finished: NDArray[np.bool_],
    *,
    transcripts: bool,
    tests: bool,
    duplicates: bool,
    limit: float,
) -> None:
    keep = np.flatnonzero(finished)
    count = len(keep)
    ids, problem, sample, alpha, mode, outcome = (
        column[keep] for column in (ids, problem, sample, alpha, mode, outcome)
    )
    has = outcome != 3
    tokens = rng.poisson(300 + 200 * mode).astype(int) + 50
    turns = 1 + mode * rng.integers(1, 4, count)
    wall = rng.gamma(4, 2.0, count) * turns
    fast = (outcome == 1) | (
        (outcome == 0) & (rng.random(count) < 0.5 + 0.3 * np.tanh(alpha - 0.5))
    )
    draft = problem * 1000 + sample % 2 if duplicates else ids  # an equal draft is an equal text
    submissions = {}
    rows = []
    submission = np.full(count, -1)
    for i, (d, f, p, o) in enumerate(
        zip(draft.tolist(), fast.tolist(), problem.tolist(), has.tolist(), strict=True)
    ):
        if not o:
            continue
        key = (d, f, int(outcome[i])) if duplicates else i
        if key not in submissions:
            number = len(submissions) + 1
            submissions[key] = number
            language, text = ("cpp", CPP) if f and d % 5 == 0 else ("python", FAST if f else BRUTE)
            rows.append((number, f"h{number}", language, text.format(draft=key, target=7 * p)))
        submission[i] = submissions[key]
    db.executemany("INSERT INTO submissions VALUES (?, ?, ?, ?)", rows)
    ends = ["submitted" if o else ("no_code_block", "truncated_in_reasoning")[i % 2]
            for i, o in enumerate(has.tolist())]  # fmt: skip
    db.executemany(
        "INSERT INTO generations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '{}')",
        zip(
            ids.tolist(), (1.7e9 + np.arange(count) * 0.5).tolist(), ends,
            [s if s >= 0 else None for s in submission.tolist()],
            (400 * turns).tolist(), tokens.tolist(), (tokens // 3).tolist(), turns.tolist(),
            (turns - 1).tolist(), wall.tolist(), (wall * 0.8).tolist(), strict=True,
        ),
    )  # fmt: skip
    verdicts = np.where(outcome == 0, "AC", np.where(outcome == 2, "TLE", "WA"))
    rare = rng.random(count)
    verdicts = np.where((outcome == 1) & (rare < 0.15), "RE", verdicts)
    verdicts = np.where((outcome == 1) & (rare > 0.95), "ILE", verdicts)
    verdicts = np.where((outcome == 2) & (rare < 0.1), "MLE", verdicts)
    failing = np.where(
        outcome == 0, len(SIZES), np.where(outcome == 2, 3 + (rare > 0.5), 1 + (rare > 0.5))
    )
    ratio = np.where(fast, 0.02 + 0.2 * rare, 0.1 + 0.85 * rare)
    first_of: dict[int, int] = {}
    judgements, results, bodies = [], [], []
    for i, (s, p) in enumerate(zip(submission.tolist(), problem.tolist(), strict=True)):
        if transcripts:
            bodies.append((int(ids[i]), _transcript(s, p)))
        if s < 0 or s in first_of:
            continue
        number = first_of[s] = len(first_of) + 1
        o, v, stop, r = int(outcome[i]), str(verdicts[i]), int(failing[i]), float(ratio[i])
        bits = (
            sum(1 << k for k in range(6) if o == 0 or SIZES[stop] >= 10 ** (k + 1)) | (o == 0) << 6
        )
        judgements.append((number, p + 1, s, v, OUTCOMES[o], bits, stop, r))
        if tests:
            last = min(stop, len(SIZES) - 1)
            for t in range(last + 1):
                passed = t < stop
                cpu = (
                    r * limit * (SIZES[t] / SIZES[last])
                    if passed
                    else limit * (1.05 if v == "TLE" else 0.2)
                )
                results.append(
                    (number, t, "AC" if passed else v, cpu, cpu * 1.1, 10_000_000 + 1000 * t)
                )
    db.executemany(
        "INSERT INTO judgements VALUES (?, 1, ?, ?, 1.7e9, ?, ?, NULL, ?, ?, ?, 0.1, '{}')",
        judgements,
    )
    db.executemany("INSERT INTO test_results VALUES (?, ?, ?, ?, ?, ?)", results)
    db.executemany("INSERT INTO transcripts VALUES (?, ?)", bodies)


def _transcript(submission: int, problem: int) -> bytes:
    messages = [
        {"role": "system", "content": "You solve problems."},
        {"role": "user", "content": f"Count pairs {problem}."},
        {"role": "assistant", "reasoning": "Let me think.", "content": f"Draft {submission}."},
    ]
    return zlib.compress(json.dumps(messages).encode(), 1)
