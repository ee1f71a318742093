"""Models that other packages bring."""

from __future__ import annotations

from pathlib import Path

import pytest

import kgscripts
from kgscripts.models.checkpoint import save_checkpoint
from kgscripts.models.installed import find_model
from kgscripts.models.registry import PACKAGED, find_checkpoint, is_named, load, shipped_models
from schemas.errors import ModelError
from tests.commands import run
from tests.models.test_checkpoint import checkpoint
from tests.plugins import install


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with two models, one of which has the name of one that ships."""
    package = tmp_path / "weights_found_by_tests"
    entries = dict.fromkeys(("cloze-tiny", "aligner"), package.name)
    for name in entries:
        save_checkpoint(checkpoint(), package / name)
    install(tmp_path, PACKAGED, entries, monkeypatch)
    return package


def test_a_package_brings_a_model(package: Path) -> None:
    assert find_checkpoint("cloze-tiny") == find_checkpoint("tiny", "cloze") == package / "cloze-tiny"
    assert kgscripts.load_model("cloze-tiny") is load("cloze", "tiny")
    assert is_named("tiny", "cloze")
    assert not find_model("cloze-tiny").ships
    assert "cloze-tiny" in run("models", "list")


def test_a_model_that_ships_is_not_replaced(package: Path) -> None:
    assert (package / "aligner").is_dir()
    assert find_checkpoint("aligner") == shipped_models()["aligner"]


def test_what_is_named_and_not_there_is_no_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "package_without_models").mkdir()
    entries = {"gone": "package_without_models", "never": "no_package_at_all", "nested": "no_package_at_all.models"}
    install(tmp_path, PACKAGED, entries, monkeypatch)
    assert find_model("aligner").ships, "what is whole is found beside it"
    for name in entries:
        with pytest.raises(ModelError, match="no such model"):
            load("cloze", name)
