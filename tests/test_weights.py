"""The wheel of adapters: what it holds, and that kgscripts finds it."""

from __future__ import annotations

import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from kgscripts.models.installed import card_markdown, find_model
from kgscripts.models.registry import PACKAGED, find_checkpoint
from tests.test_package import LARGEST, ROOT, run

WEIGHTS = ROOT / "weights"


def test_the_models_of_the_wheel_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", tmp_path, WEIGHTS, cwd=tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.stat().st_size < LARGEST
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    monkeypatch.syspath_prepend(tmp_path / "installed")
    declared = tomllib.loads((WEIGHTS / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    folders = {path.parent.name for path in (WEIGHTS / "kgscripts_weights").glob("*/model_card.json")}
    assert folders == set(declared["entry-points"][PACKAGED])
    for name in folders:
        assert find_checkpoint(name).is_relative_to(tmp_path)
        assert "SHA-256" in card_markdown(find_model(name)), "the pretrained model is named"
        for document in (ROOT / "WEIGHTS.md", WEIGHTS / "README.md"):
            assert f"`{name}`" in document.read_text(encoding="utf-8")
