"""Every command that the README shows is run here, as a reader would type it."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.conftest import ROOT

BIN = Path(sys.executable).parent
README = (ROOT / "README.md").read_text()
COMMANDS = [
    line.partition("  #")[0].strip()
    for block in re.findall(r"```bash\n(.*?)```", README, re.S)
    for line in block.replace("\\\n", " ").splitlines()
    if line.strip() and not line.startswith("#")
]
# Run elsewhere: by the gate itself, by test_demo, by test_wheel.
ELSEWHERE = ("make test", "make demo", "pip install .")
DAILY = [command for command in COMMANDS if command not in ELSEWHERE]


def test_the_readme_shows_the_commands_that_are_run_elsewhere() -> None:
    assert set(ELSEWHERE) <= set(COMMANDS)
    assert COMMANDS.index("make demo") < COMMANDS.index("make test") < 3


def test_every_linked_file_is_there() -> None:
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder as the reader has it: the checkout's tasks, the demo's family, models.yaml."""
    family = ROOT / "demo" / "checkpoints"
    if not (family / "b" / "config.json").is_file():
        pytest.skip("the demo's checkpoints are not made: run scripts/make-demo-family.py")
    folder = tmp_path_factory.mktemp("desk")
    (folder / "tasks").symlink_to(ROOT / "tasks")
    (folder / "demo").mkdir()
    (folder / "demo" / "checkpoints").symlink_to(family)
    registry = (ROOT / "demo" / "models.yaml").read_text()
    (folder / "models.yaml").write_text(registry.replace(" checkpoints/", " demo/checkpoints/"))
    yield folder
    shutil.rmtree(folder)


ENVIRONMENT = {
    **os.environ,
    "PATH": f"{BIN}:{os.environ['PATH']}",
    "FRONTIER_AGENT_VLLM": str(ROOT / ".venv-vllm/bin/vllm"),
}


@contextmanager
def serving(model: str, folder: Path) -> Iterator[str]:
    """The base URL of a server that `agent serve` runs while the block lasts."""
    command = [str(BIN / "agent"), "serve", model, "--port", "0"]
    child = subprocess.Popen(
        command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout is not None
        found = re.search(r"http://\S+/v1", child.stdout.readline())
        assert found, "the server did not start"
        yield found[0]
    finally:
        child.send_signal(signal.SIGINT)
        child.wait(60)


def type_it(command: str, folder: Path) -> None:
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"


@pytest.mark.vllm
@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_daily_commands_in_their_order(desk: Path) -> None:
    assert len(DAILY) >= 10
    for command in DAILY:
        if "--base-url" not in command:
            type_it(command, desk)
            continue
        words = shlex.split(command)
        model = words[words.index("--model") + 1]
        with serving(model, desk) as base_url:
            type_it(re.sub(r"http://127.0.0.1:\d+/v1", base_url, command), desk)


@pytest.mark.vllm
@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_demo() -> None:
    shutil.rmtree(ROOT / "demo" / "run", ignore_errors=True)
    type_it("make demo", ROOT)
    report = ROOT / "demo" / "report.html"
    text = report.read_text()
    for mode in ("reasoning", "tool_use", "agentic"):
        assert mode in text


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_wheel(tmp_path: Path) -> None:
    """An installed `agent` finds what ships with it."""
    type_it(f"{sys.executable} -m pip wheel --quiet --no-deps -w {tmp_path} {ROOT}", tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    target = tmp_path / "site"
    type_it(f"{sys.executable} -m pip install --quiet --no-deps -t {target} {wheel}", tmp_path)
    check = (
        f'PYTHONPATH={target} {sys.executable} -c "import agent.shipped as s;'
        " assert s.folder('tasks').is_relative_to('" + str(target) + "');"
        " assert (s.folder('tasks') / 'demo.yaml').is_file();"
        " assert (s.folder('sandbox_images') / 'judge' / 'Dockerfile').is_file()\""
    )
    type_it(check, tmp_path)
