"""Errors in suite files: one line with file, line, key, and the nearest right spelling."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.suite.errors import SuiteError
from agent.suite.load import draft

OWN = {
    "problem.yaml": "title: Twice\ndifficulty: easy\nlimits: {time_s: 1}\nsamples: [a]\n",
    "statement.md": "Print twice the number.\n",
    "tests/a.in": "2\n",
    "tests/a.ans": "4\n",
    "tests/b.in": "300\n",
    "tests/b.ans": "600\n",
}


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return folder


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("problms: []", "s.yaml:1: problms: unknown key (did you mean 'problems'?)"),
        ("name: x\nsampling: {temperatur: 1}", "s.yaml:2: sampling.temperatur: unknown key"),
        ("problems:\n- path: p\n  difficulti: easy", "s.yaml:3: problems[0].difficulti: unknown"),
        ("problems: [{source: lifecodebench}]", "did you mean 'livecodebench'?"),
        ("problems: [{source: apps, path: x, afer: 1}]", "problems[0].afer: unknown key"),
        ("problems: [{pth: x}]", "problems[0]: needs 'path' or 'source'"),
        ("problems: [{path: nothing}]", "problems[0].path: no problem folder matches"),
        ("problems: [{path: p, regex: '('}]", "problems[0].regex: not a regular expression"),
        ("problems: [{source: apps, path: 'no*.jsonl'}]", "s.yaml:1: problems[0].path: no data"),
        ("problems: [{source: apps, path: '${NO_SUCH}/x'}]", "variable NO_SUCH"),
        ("modes: {agentc: {}}", "modes.agentc: unknown key (did you mean 'agentic'?)"),
        ("modes: {agentic: {turns: many}}", "modes.agentic.turns: expected a valid integer"),
        ("sampling: {top_p: 1.5}", "sampling.top_p: expected less than or equal to 1, not 1.5"),
        ("name: a\nname: b", "s.yaml:2: name: given twice"),
        ("problems: [", "not YAML"),
        ("a: b: c", "s.yaml:1: not YAML"),
        ("- a", "holds a list; expected a mapping"),
        ("", "is empty"),
        ("extends: s.yaml", "extends itself"),
        ("extends: other.yaml", "extends: "),
        ("problems: []", "no problems"),
        ("name: !!python/object/apply:os.system [id]", "not YAML"),
    ],
)
def test_errors_name_the_place(tmp_path: Path, text: str, expected: str) -> None:
    write(tmp_path, {f"p/{name}": content for name, content in OWN.items()})
    path = tmp_path / "s.yaml"
    path.write_text(text)
    with pytest.raises(SuiteError) as raised:
        draft(path)
    assert expected in str(raised.value)
    assert "\n" not in str(raised.value)


def test_bad_bytes_and_missing_files(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_bytes(b"name: x\nproblems: \xff\n")
    with pytest.raises(SuiteError, match=r"s\.yaml:2: byte 18 is not UTF-8"):
        draft(path)
    with pytest.raises(SuiteError, match=r"did you mean 'demo'"):
        draft(Path("demos"))


def test_bom_crlf_and_no_final_newline(tmp_path: Path) -> None:
    write(tmp_path, {f"p/{name}": content for name, content in OWN.items()})
    path = tmp_path / "s.yaml"
    path.write_bytes(b"\xef\xbb\xbfname: x\r\nproblems:\r\n- path: p")
    assert [p.id for p, _ in draft(path).problems] == ["p"]


def test_extends_merges_mappings_and_keeps_paths(tmp_path: Path) -> None:
    write(tmp_path, {f"base/p/{name}": content for name, content in OWN.items()})
    write(
        tmp_path,
        {
            "base/base.yaml": "name: base\nproblems: [{path: p}]\nsampling: {n: 3, top_p: 0.9}\n",
            "mine.yaml": "extends: base/base.yaml\nname: mine\nsampling: {n: 5}\n",
        },
    )
    read = draft(tmp_path / "mine.yaml")
    assert [p.id for p, _ in read.problems] == ["p"]
    assert (read.file.name, read.file.sampling.n, read.file.sampling.top_p) == ("mine", 5, 0.9)


def test_mode_settings_are_those_of_the_modes() -> None:
    from dataclasses import fields

    from agent.modes import AttemptLimits
    from agent.suite.suitefile import ModePart

    limits = {field.name for field in fields(AttemptLimits)}
    assert set(ModePart.model_fields) == limits | {"variant", "tool_form", "output_chars"}
