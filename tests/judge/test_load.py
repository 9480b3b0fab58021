"""Verdicts under load: more workers than cores, programs near their limits."""

from __future__ import annotations

import asyncio
import os

import pytest

from agent.judge.judge import open_judge
from agent.judge.room import Room
from agent.judge.verdict import Submission
from agent.sandbox.backends import open_backend
from tests.judge.conftest import problem

BURN = "import time\nwhile time.process_time() < {}: pass\nprint(3)"
# Memory-bound: what other programs disturb most.
WORK = """
#include <cstdio>
#include <ctime>
#include <vector>
int main() {{
    std::vector<int> a(1 << 22);
    unsigned x = 1;
    long sum = 0;
    while (clock() < {} * CLOCKS_PER_SEC)
        for (int i = 0; i < 1000; i++) {{ x = x * 1664525 + 1013904223; sum += a[x >> 10]++; }}
    puts(sum < 0 ? "0" : "3");
}}
"""


@pytest.mark.slow
def test_no_false_verdict_with_four_times_more_workers_than_cores(outer_cap: None) -> None:
    """Programs that take 50–90 % of their limit, judged by 4 workers for each core."""
    shares = (0.5, 0.6, 0.7, 0.8, 0.9)
    found = [problem((b"\n", b"3\n"), (b"1\n", b"3\n"), time_s=0.5, name=f"l{i}") for i in range(3)]
    work = [
        (p, Submission(template.format(share * 0.5), language))
        for p in found
        for share in shares
        for template, language in ((BURN, "python"), (WORK, "cpp"))
    ]

    async def judge_all() -> list[str]:
        backend = await open_backend("bubblewrap")
        judge = await open_judge(backend, workers=4 * (os.cpu_count() or 1))
        try:
            done = await asyncio.gather(*(judge.judge(p, s, all_tests=True) for p, s in work))
        finally:
            await judge.close()
            await backend.close()
        return [test.verdict for judgement in done for test in judgement.tests]

    verdicts = asyncio.run(judge_all())
    false = [verdict for verdict in verdicts if verdict != "AC"]
    print(f"{len(false)} false of {len(verdicts)} verdicts")
    assert false == []


def test_alone_is_alone() -> None:
    room, inside, seen = Room(), [0], []

    async def one(alone: bool) -> None:
        async with room.alone() if alone else room.shared():
            inside[0] += 1
            await asyncio.sleep(0.002)
            seen.append((alone, inside[0]))
            inside[0] -= 1

    async def all_of() -> None:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(i % 7 == 0)) for i in range(100)]
            tasks[50].cancel()
            tasks[49].cancel()

    asyncio.run(all_of())
    assert len(seen) == 98
    assert all(count == 1 for alone, count in seen if alone)
    assert max(count for alone, count in seen if not alone) > 1
