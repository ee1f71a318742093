"""Models by task and name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import kgscripts
from kgscripts.corpora.pairs.pair import Pair
from kgscripts.models import registry
from kgscripts.models.checkpoint import load_checkpoint, save_checkpoint
from kgscripts.models.registry import find_checkpoint, load, shipped_models
from schemas.changes import ProcedureStep
from schemas.errors import ConfigurationError, ModelError
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
    with pytest.raises(ModelError, match="a model for the task 'state-changes', not 'changes'") as refused:
        load("changes", "state-changes")
    assert "change-generator" in str(refused.value.remedy)
    with pytest.raises(ModelError, match="unknown task 'cooking'") as refused:
        load("cooking", "aligner")
    assert "alignment" in str(refused.value.remedy)
    with pytest.raises(ModelError, match="no such model") as refused:
        kgscripts.load_model("no-such-model")
    assert ", ".join(shipped_models()) in str(refused.value.remedy)


def test_models_take_plain_strings() -> None:
    step, pair = "Boil the water in a pot.", Pair(abstract=["chop", "leek"], concrete=["cut", "the", "leek", "."])
    for name in ("state-changes", "state-changes-retrieval"):
        changes = kgscripts.load_model(name)
        assert changes.predict([step]) == changes.predict([ProcedureStep(text=step)])
    aligner = kgscripts.load_model("aligner")
    strings = ("chop leek", "cut the leek .")
    assert aligner.align([strings]) == aligner.align([list(strings)]) == aligner.align([pair])  # type: ignore[list-item]
    assert aligner.align_freely([strings]) == aligner.align_freely([pair])
    sentences = ["I took the dirty shirts and turned on the machine.", "Then we flew to Rome."]
    for model in ("scenarios", "scenarios-topic-tiling"):
        detector = kgscripts.load_model(model)
        assert detector.detect([" ".join(sentences), sentences]) == detector.detect([sentences, sentences])
    assert kgscripts.load_model("tools").rank(["fix a flat tyre"])[0]


@pytest.mark.parametrize(
    ("name", "method"),
    [("state-changes", "predict"), ("aligner", "align"), ("scenarios", "detect"), ("tools", "rank")],
)
def test_one_string_is_no_list_of_strings(name: str, method: str) -> None:
    with pytest.raises(ConfigurationError, match="is 'boil the water'"):
        getattr(kgscripts.load_model(name), method)("boil the water")


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
