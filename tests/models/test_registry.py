"""models.yaml: what names resolve to, and what a mistake in it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.errors import UsageError
from agent.models.registry import Registry, load_registry

FILE = """\
families:
  ckpt:
    a: low
    b: high
    serve: {max_model_len: 4096, tool_call_parser: hermes}
    style:
      thoughts: [["<a>", "</a>"]]
      text_calls: fenced
checkpoints:
  base: {path: /models/base}
endpoints:
  remote:
    base_url: https://example.org/v1
    model: org/served-name
    api_key_env: SOME_KEY
    native_tools: false
  far: {provider: litellm, model: anthropic/claude}
"""


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    (tmp_path / "models.yaml").write_text(FILE)
    return load_registry(tmp_path / "models.yaml")


def test_a_member(registry: Registry, tmp_path: Path) -> None:
    spec = registry.resolve("ckpt_alpha1.5")
    assert (spec.kind, spec.family, spec.alpha) == ("member", "ckpt", 1.5)
    assert spec.path == tmp_path / "merged" / "ckpt_alpha1.5"
    assert spec.parents == (tmp_path / "low", tmp_path / "high")
    assert spec.to_merge
    assert spec.style.thoughts == (("<a>", "</a>"),)
    assert spec.style.text_calls == "fenced"
    assert registry.resolve("ckpt_alpha-0.5").alpha == -0.5


def test_alpha_0_and_1_are_a_and_b_themselves(registry: Registry, tmp_path: Path) -> None:
    for alpha, folder in (("0", "low"), ("1", "high"), ("1.0", "high")):
        spec = registry.resolve(f"ckpt_alpha{alpha}")
        assert spec.path == tmp_path / folder
        assert not spec.to_merge


def test_one_member_has_one_folder_however_it_is_spelled(registry: Registry) -> None:
    assert registry.resolve("ckpt_alpha1.50").path == registry.resolve("ckpt_alpha1.5").path


def test_checkpoints_and_endpoints(registry: Registry) -> None:
    assert registry.resolve("base").path == Path("/models/base")
    remote = registry.resolve("remote")
    assert remote.endpoint is not None
    assert remote.endpoint.urls == ("https://example.org/v1",)
    assert not remote.endpoint.native_tools
    assert registry.resolve("far").kind == "litellm"
    assert registry.resolve("openai/some-model").kind == "litellm"


def test_a_folder_is_a_name(registry: Registry, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    assert registry.resolve(str(tmp_path)).path == tmp_path


def test_with_a_base_url_any_name_goes_but_members_stay_members(registry: Registry) -> None:
    spec = registry.resolve("ckpt_alpha2", base_url="http://127.0.0.1:1/v1")
    assert (spec.kind, spec.family, spec.alpha) == ("endpoint", "ckpt", 2.0)
    assert spec.style.text_calls == "fenced"
    assert registry.resolve("whatever", base_url="http://127.0.0.1:1/v1").family is None


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("ckp_alpha1.5", "did you mean ckpt_alpha1.5?"),
        ("bse", "did you mean base?"),
        ("zzzzzz", "it names base, remote, far, ckpt_alpha1.5"),
    ],
)
def test_unknown_names_get_near_ones(registry: Registry, name: str, hint: str) -> None:
    with pytest.raises(UsageError) as error:
        registry.resolve(name)
    assert hint in str(error.value)


def test_without_a_file_the_error_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"no models\.yaml here.*--base-url"):
        load_registry().resolve("ckpt_alpha1")
    with pytest.raises(UsageError, match=r"nowhere\.yaml: no such file"):
        load_registry(Path("nowhere.yaml"))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("max_model_len", "max_modell_len", ":5: families.ckpt.serve.max_modell_len: unknown key"),
        ("4096", "many", ":5: families.ckpt.serve.max_model_len: "),
        ("    b: high\n", "", "'b' is missing"),
        ("base_url: https", "base_url: ftp", "expected an http:// or https:// URL"),
        ("base_url: https://example.org/v1", "native_tools: true", "given twice"),
        ("text_calls: fenced", "text_calls: yaml", ":8: families.ckpt.style.text_calls"),
        ("families:", "families: [", "not YAML"),
    ],
)
def test_mistakes_name_file_line_and_key(tmp_path: Path, old: str, new: str, says: str) -> None:
    path = tmp_path / "models.yaml"
    path.write_text(FILE.replace(old, new, 1))
    with pytest.raises(UsageError) as error:
        load_registry(path)
    assert str(path) in str(error.value)
    assert says in str(error.value)
    assert "\n" not in str(error.value)
