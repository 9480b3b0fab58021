"""A LiveCodeBench-like JSON Lines file of a given size, for measuring how fast it loads."""

from __future__ import annotations

import base64
import json
import pickle
import random
import zlib
from pathlib import Path


def row(number: int, rng: random.Random) -> dict[str, str]:
    """One problem with some forty private tests, most of the bytes in a few large ones."""
    tests = []
    for _ in range(40):
        length = int(10 ** rng.uniform(1, 5.3) / 6)
        numbers = " ".join(str(rng.randrange(10**5)) for _ in range(length))
        tests.append({"input": f"{length}\n{numbers}\n", "output": "7\n", "testtype": "stdin"})
    packed = base64.b64encode(zlib.compress(pickle.dumps(json.dumps(tests)))).decode()
    return {
        "question_title": f"Problem {number}",
        "question_content": "Sum the numbers. " * 60,
        "platform": "atcoder",
        "question_id": f"abc{number}_a",
        "contest_date": "2024-09-01T00:00:00",
        "starter_code": "",
        "difficulty": ("easy", "medium", "hard")[number % 3],
        "public_test_cases": json.dumps(tests[:1]),
        "private_test_cases": packed,
        "metadata": "{}",
    }


def write(path: Path, megabytes: int) -> int:
    """Writes about as many MB; returns the number of problems. Rows repeat under new names."""
    rng = random.Random(0)
    patterns = [row(i, rng) for i in range(8)]
    number = written = 0
    with path.open("w") as stream:
        while written < megabytes * 1_000_000:
            known = patterns[number % len(patterns)]
            line = json.dumps({**known, "question_id": f"abc{number}_a"}) + "\n"
            stream.write(line)
            written += len(line)
            number += 1
    return number
