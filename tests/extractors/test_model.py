"""The extractor's name, digest and scores, and the door for other packages' extractors."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from attrs import evolve

from kgscripts.extractors.lexicon import parse_classes
from kgscripts.extractors.model import describe_extractor, known_scores
from kgscripts.extractors.registry import load_extractors
from kgscripts.text.pipeline import describe_pipeline
from schemas.errors import ModelError
from tests.extractors.parses import SYNTAX


def test_the_digest_changes_with_the_parser_and_only_then() -> None:
    model = describe_extractor(SYNTAX)
    assert model == describe_extractor(evolve(SYNTAX, scores=[], version="2"))
    assert model.digest != describe_extractor(evolve(SYNTAX, digest="1" * 64)).digest


def test_the_scores_are_those_that_ship() -> None:
    scores = known_scores()
    assert list(describe_extractor(describe_pipeline()).scores) == scores
    assert describe_extractor(SYNTAX).scores == (), "they were measured on the parses of the shipped pipeline"
    assert {"tool F1", "pronoun precision", "event head precision", "participant head F1"} <= {
        score.metric for score in scores
    }


def test_the_built_in_extractor_comes_first() -> None:
    assert load_extractors(SYNTAX)[0].model.name == "script-extractor"


def _install(folder: Path, name: str, code: str, target: str) -> None:
    """A distribution on the path with one entry point, as a package installer leaves it."""
    (folder / f"{name}.py").write_text(code, encoding="utf-8")
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[kgscripts.extractors]\n{name} = {target}\n", encoding="utf-8")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_other_packages_add_theirs(site: Path) -> None:
    code = (
        "from kgscripts.extractors.events import ScriptExtractor\n"
        "from attrs import evolve\n"
        "class Louder:\n"
        "    def __init__(self, syntax):\n"
        "        self.model = evolve(ScriptExtractor(syntax).model, name='louder')\n"
        "    def read(self, parsed):\n"
        "        return []\n"
    )
    _install(site, "louder_extractor", code, "louder_extractor:Louder")
    assert [extractor.model.name for extractor in load_extractors(SYNTAX)][2:] == ["louder"]
    del sys.modules["louder_extractor"]


@pytest.mark.parametrize(
    ("code", "target"),
    [
        ("", "broken_extractor:Missing"),
        ("import no_such_module_anywhere", "broken_extractor:Anything"),
        ("def make(): return 1", "broken_extractor:make"),
        ("def make(syntax): return object()", "broken_extractor:make"),
    ],
)
def test_a_broken_one_is_named(site: Path, code: str, target: str) -> None:
    _install(site, "broken_extractor", code, target)
    with pytest.raises(ModelError, match="broken_extractor"):
        load_extractors(SYNTAX)
    sys.modules.pop("broken_extractor", None)


def test_a_lexicon_without_headings_is_refused() -> None:
    with pytest.raises(ModelError, match=r"nouns\.txt:2"):
        parse_classes("# comment\nknife, fork\n", "nouns.txt")
    assert parse_classes("[a]\nx, y # z\n[b]\nx\n", "l") == {"a": frozenset({"x", "y"}), "b": frozenset({"x"})}
