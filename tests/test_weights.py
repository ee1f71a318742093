"""The wheel of adapters: what it holds, and that kgscripts finds it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from kgscripts.models.installed import card_markdown, find_model
from kgscripts.models.registry import PACKAGED, find_checkpoint, packaged_models
from schemas.errors import ModelError

ROOT = Path(__file__).resolve().parents[1]
LARGEST = 40e6
"""The bytes that a wheel may have."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("weights")
    command = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", str(folder)]
    subprocess.run([*command, str(ROOT / "weights")], check=True, capture_output=True)
    (found,) = folder.glob("*.whl")
    return found


def test_the_models_of_the_wheel_are_found(wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert wheel.stat().st_size < LARGEST
    declared = tomllib.loads((ROOT / "weights" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    folders = {path.parent.name for path in (ROOT / "weights" / "kgscripts_weights").glob("*/model_card.json")}
    assert set(declared["entry-points"][PACKAGED]) == folders
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    assert set(packaged_models()) == folders
    for name in folders:
        assert find_checkpoint(name).is_relative_to(tmp_path)
        card = card_markdown(find_model(name))
        assert "SHA-256" in card, "the pretrained model is named"
        row = f"`{name}`"
        assert row in (ROOT / "WEIGHTS.md").read_text(encoding="utf-8")
        assert row in (ROOT / "weights" / "README.md").read_text(encoding="utf-8")


def test_without_the_wheel_there_is_no_such_model() -> None:
    with pytest.raises(ModelError, match="no such model"):
        find_checkpoint("smollm2-kidscook")
