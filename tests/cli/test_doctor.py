"""`agent doctor` looks at the real machine."""

from __future__ import annotations

import json

from tests.cli.command import agent


def test_it_names_every_part_and_what_to_do_about_what_is_absent() -> None:
    done = agent("doctor", "--json")
    assert done.returncode == 0
    findings = {finding["part"]: finding for finding in json.loads(done.stdout)}
    assert findings["sandbox bubblewrap"]["state"] in ("ok", "weaker")
    assert {"machine", "python", "g++", "sandbox docker", "vllm", "gpu"} <= findings.keys()
    for finding in findings.values():
        assert finding["state"] == "ok" or finding["advice"] or finding["detail"]


def test_the_table_shows_extras_as_they_are_typed() -> None:
    done = agent("doctor")
    assert done.returncode == 0
    assert "sandbox" in done.stdout


def test_help_starts_quickly_and_names_every_verb() -> None:
    done = agent("--help")
    assert done.returncode == 0
    for verb in ("run", "judge", "report", "tasks", "merge", "doctor", "modes", "replay"):
        assert verb in done.stdout
