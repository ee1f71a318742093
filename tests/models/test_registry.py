"""Models by task and name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import kgscripts
from kgscripts.models import registry
from kgscripts.models.checkpoint import load_checkpoint, save_checkpoint
from kgscripts.models.registry import find_checkpoint, load, shipped_models
from schemas.errors import ModelError
from tests.models.test_checkpoint import checkpoint


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    save_checkpoint(checkpoint(), tmp_path / "model")
    return tmp_path / "model"


def test_models_are_found_by_directory_or_by_name(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_checkpoint(saved) == saved
    with pytest.raises(ModelError, match="no such model"):
        find_checkpoint("no-such-model")
    with pytest.raises(ModelError, match="no checkpoint"):
        load("cloze", saved.parent)
    monkeypatch.setattr(registry, "shipped_models", lambda: {"shipped": saved})
    assert find_checkpoint("shipped") == saved
    assert load("cloze", "shipped").name == "transducer-fixed"


def test_all_models_that_ship_are_whole() -> None:
    for directory in shipped_models().values():
        assert load_checkpoint(directory).card.licence


def test_models_are_loaded_for_their_task_alone() -> None:
    assert kgscripts.load_model("aligner").align([]) == []
    assert kgscripts.load_model("transducer") is load("cloze", "transducer")
    with pytest.raises(ModelError, match="a model for the task 'alignment', not 'cloze'") as refused:
        load("cloze", "aligner")
    assert "masked" in str(refused.value.remedy)
    with pytest.raises(ModelError, match="unknown task 'cooking'") as refused:
        load("cooking", "aligner")
    assert "alignment" in str(refused.value.remedy)
    with pytest.raises(ModelError, match="no such model") as refused:
        kgscripts.load_model("no-such-model")
    assert ", ".join(shipped_models()) in str(refused.value.remedy)


def test_describing_a_model_needs_no_torch() -> None:
    code = (
        "import sys; from kgscripts.models.registry import describe; describe('masked'); print('torch' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "False\n"


def test_a_task_has_short_names(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "shipped_models", lambda: {"cloze": saved, "cloze-small": saved.parent})
    assert find_checkpoint("default", "cloze") == find_checkpoint("cloze") == saved
    assert find_checkpoint("small", "cloze") == find_checkpoint("cloze-small", "cloze") == saved.parent
    assert load("cloze", "default").name == "transducer-fixed"
    for name, task in (("default", ""), ("small", ""), ("default", "alignment"), ("large", "cloze")):
        with pytest.raises(ModelError, match="no such model"):
            find_checkpoint(name, task)
